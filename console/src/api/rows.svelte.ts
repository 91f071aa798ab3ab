import {tick, untrack} from 'svelte';

import {connection} from './connection.svelte';
import {Live, livePeriod} from './live.svelte';
import type {Entry} from '../route.svelte';

export interface Page<T> {
  rows: T[];
  /** The place of the next page; null at the end of the list. */
  next: string | null;
  /** The number of rows that are newer than `newest`, if the API counts them. */
  newer?: number | undefined;
}

interface Source<T> {
  /** Reads one page from a place; the first is null. `newest` is the guid of the first row that is shown. */
  page(place: string | null, signal: AbortSignal, newest: string | null): Promise<Page<T>>;
  /** Counts the list; called after its rows are shown. */
  count?(signal: AbortSignal): Promise<string>;
  /**
   * What the list is sorted by; the greatest is the first. Of equal ones it does not tell the order: the API cuts times to
   * milliseconds. Without it, only rows between others tell what has left the list and what has come.
   */
  order?(row: T): string;
  /** Milliseconds between two reads of the first page. Default: livePeriod. */
  period?: number;
  /** The most rows that stay shown when newer ones come; with more, the list begins again. Default: all. */
  most?: number;
}

/** What a list showed when its page was left. */
type Shown = Pick<Entry, 'rows' | 'scroll'>;

/** The most rows that are read again for it. */
const mostAgain = 500;

/**
 * A list that grows downwards by pages and never moves under the cursor: rows that are known change in place, those that
 * the list has lost stay in their places, named by `left`, and new ones are counted in `newer` until the person shows
 * them; an empty list shows them at once. `reset` begins again, for other filters; `reread` is for a change that the
 * person has made.
 */
export class Rows<T extends {guid: string}> {
  rows = $state.raw<T[]>([]);
  next = $state.raw<string | null>(null);
  /** Rows that have come among those shown and are not shown yet, as far as the first page goes. */
  newer = $state.raw<T[]>([]);
  /** The guids of the shown rows that the list does not have any more, as far as the first page tells. */
  left = $state.raw<ReadonlySet<string>>(new Set());
  /** The number of those that are not shown yet; with `isMore`, at least so many. */
  newerCount = $state.raw({count: 0, isMore: false});
  total = $state.raw<string | undefined>();
  readonly head: Live<Page<T>>;
  readonly #more: Live<Page<T>>;
  readonly #count: Live<string | undefined>;
  /** True from a change of the person until the list was read again. */
  #stale = false;
  /** The rows that the first read shows at least, if there are so many. */
  #wanted = 0;

  constructor(private readonly source: Source<T>) {
    this.head = new Live((signal) => this.#readHead(signal), source.period ?? livePeriod);
    this.#more = new Live((signal) => this.#readMore(signal));
    this.#count = new Live(async (signal) => (this.total = await this.source.count?.(signal)));
  }

  get begun(): boolean {
    return this.head.value !== undefined;
  }

  get counts(): boolean {
    return this.source.count !== undefined;
  }

  get readingMore(): boolean {
    return this.#more.reading;
  }

  get moreError(): unknown {
    return this.#more.error;
  }

  /** Of a list that is returned to, `shown` says what it showed before. */
  async reset(shown: Shown = {}): Promise<void> {
    this.head.value = undefined;
    this.#show({rows: [], next: null});
    this.total = undefined;
    this.#wanted = Math.min(shown.rows ?? 0, mostAgain);
    await this.head.refresh();
    if (shown.scroll) {
      await tick();
      scrollTo(0, shown.scroll);
    }
    await this.#count.refresh();
  }

  /** Reads the list again as far as it is shown: rows that it does not have any more go, and new ones come. */
  async reread(): Promise<void> {
    this.#stale = true;
    await this.head.refresh();
    await this.#count.refresh();
  }

  /**
   * Shows the rows that came in the meantime, without those that left. If they do not reach down to those shown, the list
   * begins again.
   */
  showNewer(): void {
    const page = this.head.value ?? {rows: [], next: null};
    const below = lacking(page.rows, this.rows).filter(({guid}) => !this.left.has(guid));
    const rows = [...page.rows, ...below];
    const isCut = this.newerCount.count > this.newer.length || this.newerCount.isMore;
    if (isCut || rows.length > (this.source.most ?? Infinity)) return void this.reset();
    this.#show({rows, next: below.length ? this.next : page.next});
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
    const newest = untrack(() => this.rows[0]?.guid ?? null);
    const page = await this.source.page(null, signal, newest);
    if (this.#stale) {
      const read = await this.#readTo(this.rows.length, page, signal);
      this.#stale = false;
      this.#show(read);
      return page;
    }
    // Nothing moves under the cursor if no row is shown.
    if (this.rows.length > 0) {
      const {rows, newer, left} = merge({rows: this.rows, next: this.next}, page, this.source.order?.bind(this.source));
      const unread = new Set(lacking(page.rows, rows).map(({guid}) => guid));
      this.rows = rows;
      this.left = new Set([...[...this.left].filter((guid) => unread.has(guid)), ...left]);
      this.#setNewer(newer, page);
    } else {
      const read = await this.#readTo(this.#wanted, page, signal);
      this.#wanted = 0;
      this.#show(read);
      if (this.begun && page.rows.length > 0) void this.#count.refresh();
    }
    return page;
  }

  /** The first page with those after it, until it has so many rows. */
  async #readTo(count: number, page: Page<T>, signal: AbortSignal): Promise<Page<T>> {
    let {rows, next} = page;
    while (next !== null && rows.length < count) {
      const further: Page<T> = await this.source.page(next, signal, null);
      rows = [...rows, ...lacking(rows, further.rows)];
      next = further.next;
    }
    return {rows, next};
  }

  #show({rows, next}: Page<T>): void {
    this.rows = rows;
    this.next = next;
    this.left = new Set();
    this.#setNewer([]);
  }

  /** A page that has only new rows does not tell how many there are below it; `newer` does, up to 100. */
  #setNewer(rows: T[], page?: Page<T>): void {
    const isCut = page !== undefined && page.next !== null && rows.length > 0 && rows.length === page.rows.length;
    this.newer = rows;
    this.newerCount = isCut
      ? {count: page.newer ?? rows.length, isMore: page.newer === undefined || page.newer >= 100}
      : {count: rows.length, isMore: false};
  }

  async #readMore(signal: AbortSignal): Promise<Page<T>> {
    const page = await this.source.page(this.next, signal, null);
    this.rows = [...this.rows, ...lacking(this.rows, page.rows)];
    this.next = page.next;
    return page;
  }
}

/** Those of `read` that `rows` lacks. */
function lacking<T extends {guid: string}>(rows: T[], read: T[]): T[] {
  const known = new Set(rows.map(({guid}) => guid));
  return read.filter(({guid}) => !known.has(guid));
}

/**
 * The shown rows with what the first page tells of them: what they are now, which rows have come among them, and the
 * guids of those that the list has lost. Rows below the last one of either belong to further pages.
 */
export function merge<T extends {guid: string}>(shown: Page<T>, read: Page<T>, order?: (row: T) => string) {
  const byGuid = new Map(read.rows.map((row) => [row.guid, row]));
  const rows = shown.rows.map((row) => byGuid.get(row.guid) ?? row);
  /** The rows of `list` that stand above the end of `other`; undefined if nothing tells. */
  const above = (list: T[], other: Page<T>) => {
    const last = other.rows.at(-1);
    if (other.next === null) return list;
    const end = list.findLastIndex((row) => other.rows.some(({guid}) => guid === row.guid));
    if (order && last) return list.filter((row, index) => index < end || order(row) > order(last));
    return end < 0 ? undefined : list.slice(0, end);
  };
  return {
    rows,
    newer: lacking(rows, above(read.rows, shown) ?? read.rows),
    left: lacking(read.rows, above(rows, read) ?? []).map(({guid}) => guid),
  };
}

/** What the list of this place showed when it was left; once. */
function takeShown(): Shown {
  const {rows, scroll, ...entry} = (history.state ?? {}) as Entry;
  if (scroll === undefined) return {};
  history.replaceState(entry, '');
  return {scroll, ...(rows && {rows})};
}

/** Rows of a component: they begin again when what `source` depends on changes, and end with the component. */
export function rows<T extends {guid: string}>(source: Source<T>): Rows<T> {
  const list = new Rows<T>(source);
  $effect(() => void list.reset(takeShown()));
  $effect(() => {
    if (connection.recoveries > 0) void list.head.refresh();
  });
  $effect(() => () => list.stop());
  return list;
}
