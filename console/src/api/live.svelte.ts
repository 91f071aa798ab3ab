import {connection} from './connection.svelte';

/** Lists that change while one looks are read again after this many ms. */
export const livePeriod = 10_000;
const slowAfter = 4_000;
/** Below this part of the quota, polling leaves the rest to the person. */
const quotaKept = 0.3;

/**
 * A value of the API that stays as new as the page needs. It is read at once, then again each `period` ms (0: not
 * again, but after a Retry-After) while the page is visible; reads never overlap, and wait while the quota is short.
 * `stop` ends all of it; `live` does so with its component.
 */
export class Live<T> {
  value = $state.raw<T | undefined>();
  /** The error of the last read; the value before it stays. */
  error = $state.raw<unknown>();
  reading = $state(false);
  /** True if the read under way is slow: the page says so and offers `cancel`. */
  slow = $state(false);
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly period = 0,
  ) {}

  /** Reads now; a read under way is dropped. Does nothing after `stop`. Never throws. */
  async refresh(): Promise<void> {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    const slow = setTimeout(() => (this.slow = true), slowAfter);
    this.reading = true;
    let pause = this.period;
    try {
      const value = await this.read(controller.signal);
      if (controller !== this.#controller) return;
      this.value = value;
      this.error = undefined;
    } catch (error) {
      if (controller !== this.#controller) return;
      this.error = error;
      pause = Math.max(pause, retryAfter(error));
    } finally {
      clearTimeout(slow);
      if (controller === this.#controller) {
        this.reading = false;
        this.slow = false;
      }
    }
    this.#plan(pause);
  }

  /** Ends the read under way; the person asks again with `refresh`. */
  cancel(): void {
    this.#controller?.abort(new DOMException('stopped', 'AbortError'));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const controller = this.#controller;
    this.#controller = undefined;
    controller?.abort();
  }

  #plan(pause: number): void {
    if (this.#stopped || pause === 0) return;
    this.#timer = setTimeout(() => void this.#turn(), connection.quotaLeft < quotaKept ? pause * 4 : pause);
  }

  async #turn(): Promise<void> {
    if (document.visibilityState !== 'visible') await visible();
    if (this.#stopped) return;
    if (connection.away) this.#plan(1_000);
    else await this.refresh();
  }
}

function visible(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
  });
}

function retryAfter(error: unknown): number {
  return typeof error === 'object' && error !== null && 'retryAfterMs' in error ? Number(error.retryAfterMs) : 0;
}

/** A Live of a component: it begins again when what `read` depends on changes or the API is back, and ends with the component. */
export function live<T>(read: (signal: AbortSignal) => Promise<T>, period = 0): Live<T> {
  const value = new Live(read, period);
  $effect(() => {
    void connection.recoveries;
    void value.refresh();
  });
  $effect(() => () => value.stop());
  return value;
}
