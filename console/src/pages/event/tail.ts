import {api, body, type Schemas} from '../../api/client';
import {numeral} from '../../api/numeral';
import type {Page} from '../../api/rows.svelte';

/** An event with its id as the key of its row. */
export type TailEvent = Schemas['FeedEvent'] & {guid: string};

interface Filter {
  type?: Schemas['FeedEvent']['type'];
  entityType?: string;
}

const kept = 300;
const pagesAtOnce = 20;

/**
 * The newest events of the feed. The feed begins with the oldest event that is kept, so that the first reads go through
 * all of them, at most `pagesAtOnce` pages of 500 at a time; `behind` says that there are more.
 */
export class Tail {
  /** The newest first. */
  #events: TailEvent[] = [];
  #cursor = '';
  /** The number of events read so far. */
  read = 0;
  behind = false;

  constructor(private readonly filter: Filter) {}

  /** Reads on from where the last call ended. After an error the next call reads the same again. */
  async page(signal: AbortSignal): Promise<Page<TailEvent>> {
    this.behind = true;
    for (let pages = 0; this.behind && pages < pagesAtOnce; ++pages) {
      const query = {...this.filter, limit: numeral(500), ...(this.#cursor && {after: this.#cursor})};
      const answer = await body(api.GET('/api/events', {params: {query}, signal}));
      const events = answer.data.map((event) => ({...event, guid: event.eventId.digits}));
      const known = new Set(this.#events.map((event) => event.guid));
      // After a fail-over the feed can repeat events.
      const added = events.filter((event) => !known.has(event.guid)).reverse();
      this.#events = [...added, ...this.#events].slice(0, kept);
      this.read += added.length;
      this.#cursor = answer.nextCursor;
      this.behind = answer.hasMore;
    }
    return {rows: this.#events, next: null};
  }
}
