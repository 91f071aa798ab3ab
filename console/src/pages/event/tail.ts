import {api, body, type Schemas} from '../../api/client';
import {numeral, type Numeral} from '../../api/numeral';
import type {Page} from '../../api/rows.svelte';

/** An event with its id as the key of its row. */
export type TailEvent = Schemas['FeedEvent'] & {guid: string};

interface Filter {
  type?: Schemas['FeedEvent']['type'];
  entityType?: string;
}

const pageSize = 100;
/** The most events that a call brings, and the most that are compared with those shown. */
const most = 500;
/** A filter that few events meet is read this far at once; each page examines some thousand events. */
const pagesAtOnce = 10;

/**
 * The newest events of the feed, the newest first. It begins at the end of the feed and reads backwards; then each call
 * reads what has come since.
 */
export class Tail {
  #events: TailEvent[] = [];
  /** The cursor after which new events come; null before the first page. */
  #ahead: string | null = null;

  constructor(private readonly filter: Filter) {}

  /**
   * The page at a place; null is the top. It begins again if the list shows none of the events that it has had. After an
   * error the next call reads the same again.
   */
  async page(place: string | null, signal: AbortSignal, newest: string | null): Promise<Page<TailEvent>> {
    if (place !== null) return this.#backwards(place, signal);
    const isReset = newest === null && this.#events.length > 0;
    if (isReset || this.#ahead === null) return this.#begin(signal);
    const {data, nextCursor, hasMore} = await this.#read({after: this.#ahead, limit: numeral(most)}, signal);
    // More has come than a call brings, such as in a night: those in between are not read.
    if (hasMore) return this.#begin(signal);
    this.#ahead = nextCursor;
    const known = new Set(this.#events.map((event) => event.guid));
    // The first call repeats the page at which it begins, and after a fail-over the feed can repeat events.
    const events = [...data.filter((event) => !known.has(event.guid)).reverse(), ...this.#events];
    this.#events = events.slice(0, most);
    // A place says that there can be rows below these.
    return {rows: this.#events, next: events.length > most || newest !== null ? nextCursor : null};
  }

  async #begin(signal: AbortSignal): Promise<Page<TailEvent>> {
    const {rows, next, first} = await this.#backwards('', signal);
    this.#events = rows;
    this.#ahead = first;
    return {rows, next};
  }

  /** Reads until the page has an event, at most `pagesAtOnce` times. `first` is the cursor of the first time. */
  async #backwards(place: string, signal: AbortSignal): Promise<Page<TailEvent> & {first: string}> {
    let first: string | undefined;
    for (let before = place, pages = 1; ; ++pages) {
      const {data, nextCursor, hasMore} = await this.#read({before, limit: numeral(pageSize)}, signal);
      first ??= nextCursor;
      if (data.length || !hasMore || pages === pagesAtOnce) return {rows: data, next: hasMore ? nextCursor : null, first};
      before = nextCursor;
    }
  }

  async #read(place: {after?: string; before?: string; limit: Numeral}, signal: AbortSignal) {
    const answer = await body(api.GET('/api/events', {params: {query: {...this.filter, ...place}}, signal}));
    return {...answer, data: answer.data.map((event) => ({...event, guid: event.eventId.digits}))};
  }
}
