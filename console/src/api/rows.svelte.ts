import {connection} from './connection.svelte';
import {Live, livePeriod} from './live.svelte';

export interface Page<T> {
  rows: T[];
  /** The place of the next page; null at the end of the list. */
  next: string | null;
}

interface Source<T> {
  /** Reads one page from a place; the first is null. */
  page(place: string | null, signal: AbortSignal): Promise<Page<T>>;
  /** Counts the list; called after its rows are shown. */
  count?(signal: AbortSignal): Promise<string>;
}

/**
 * A list that grows downwards by pages and never moves under the cursor: rows that are known change in place, and new
 * ones are counted in `newer` until the person shows them. `reset` begins again, for other filters.
 */
export class Rows<T extends {guid: string}> {
  rows = $state.raw<T[]>([]);
  next = $state.raw<string | null>(null);
  /** Rows at the top that are not shown yet, as far as the first page goes. */
  newer = $state.raw<T[]>([]);
  total = $state.raw<string | undefined>();
  readonly head: Live<Page<T>>;
  readonly #more: Live<Page<T>>;
  readonly #count: Live<string | undefined>;

  constructor(private readonly source: Source<T>) {
    this.head = new Live((signal) => this.#readHead(signal), livePeriod);
    this.#more = new Live((signal) => this.#readMore(signal));
    this.#count = new Live(async (signal) => (this.total = await this.source.count?.(signal)));
  }

  get begun(): boolean {
    return this.head.value !== undefined;
  }

  get readingMore(): boolean {
    return this.#more.reading;
  }

  get moreError(): unknown {
    return this.#more.error;
  }

  async reset(): Promise<void> {
    this.head.value = undefined;
    this.rows = [];
    this.newer = [];
    this.next = null;
    this.total = undefined;
    await this.head.refresh();
    await this.#count.refresh();
  }

  /** Shows the rows that came in the meantime. */
  showNewer(): void {
    this.rows = [...this.newer, ...this.rows];
    this.newer = [];
    void this.#count.refresh();
  }

  more(): Promise<void> {
    return this.#more.refresh();
  }

  stop(): void {
    this.head.stop();
    this.#more.stop();
    this.#count.stop();
  }

  async #readHead(signal: AbortSignal): Promise<Page<T>> {
    const page = await this.source.page(null, signal);
    if (this.begun) {
      const merged = merge(this.rows, page.rows);
      this.rows = merged.rows;
      this.newer = merged.newer;
    } else {
      this.rows = page.rows;
      this.next = page.next;
    }
    return page;
  }

  async #readMore(signal: AbortSignal): Promise<Page<T>> {
    const page = await this.source.page(this.next, signal);
    this.rows = [...this.rows, ...merge(this.rows, page.rows).newer];
    this.next = page.next;
    return page;
  }
}

/** The shown rows with what `read` tells of them, and the rows of `read` that are not shown. */
export function merge<T extends {guid: string}>(shown: T[], read: T[]): {rows: T[]; newer: T[]} {
  const byGuid = new Map(read.map((row) => [row.guid, row]));
  const rows = shown.map((row) => byGuid.get(row.guid) ?? row);
  const known = new Set(shown.map((row) => row.guid));
  return {rows, newer: read.filter((row) => !known.has(row.guid))};
}

/** Rows of a component: they begin again when what `source` depends on changes, and end with the component. */
export function rows<T extends {guid: string}>(source: Source<T>): Rows<T> {
  const list = new Rows<T>(source);
  $effect(() => void list.reset());
  $effect(() => {
    if (connection.recoveries > 0) void list.head.refresh();
  });
  $effect(() => () => list.stop());
  return list;
}
