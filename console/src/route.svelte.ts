/** The place of the page: /console/PAGE/ID/TAB?QUERY. Every state of the console is such a URL. */
export interface Route {
  page: string;
  id: string | null;
  tab: string | null;
  query: URLSearchParams;
}

/** What an entry of the browser's history has besides its URL. */
export interface Entry {
  /** Its number, which tells a step back from a step forward. */
  at?: number;
  /** Where the page was scrolled to, and how many rows its list showed, when a link or a filter led away from it. */
  scroll?: number;
  rows?: number;
}

const root = '/console/';
const entry = () => (history.state ?? {}) as Entry;

export function parseRoute(url: URL): Route {
  const [page = '', id, tab] = url.pathname.slice(root.length).split('/').map(decodeURIComponent);
  return {page: page || 'today', id: id || null, tab: tab || null, query: url.searchParams};
}

/** The URL of a place. Entries without a text are left out. */
export function href(path: string, query: Record<string, string | null | undefined> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(entries).toString();
  return root + path + (text && `?${text}`);
}

class Place {
  #url = $state.raw(new URL(location.href));
  readonly route = $derived(parseRoute(this.#url));
  /** Path and query, to send to someone. */
  readonly path = $derived(this.#url.pathname + this.#url.search);
  /** True if the place is not left now; `leave` leaves it later. */
  guard: (to: URL, leave: () => void) => boolean = () => false;
  #at = entry().at ?? 0;

  /** Shows a place of the console; `replace` makes no step back, for what is being typed. */
  go(to: string, {replace = false} = {}): void {
    const url = new URL(to, location.href);
    if (url.href === this.#url.href || this.guard(url, () => this.go(to, {replace}))) return;
    if (replace) {
      history.replaceState({at: this.#at}, '', url);
    } else {
      const rows = document.querySelector('tbody')?.rows.length;
      history.replaceState({...entry(), scroll: scrollY, rows}, '');
      history.pushState({at: ++this.#at}, '', url);
    }
    this.#url = url;
  }

  /** Follows a step of the browser, which it has made. */
  #follow(): void {
    const url = new URL(location.href);
    const {at = 0} = entry();
    const steps = at - this.#at;
    const isOther = url.href !== this.#url.href;
    if (isOther && steps && this.guard(url, () => history.go(steps))) return history.go(-steps);
    this.#at = at;
    if (isOther) this.#url = url;
  }

  /** Changes entries of the query; null or an empty text removes one. */
  set(changes: Record<string, string | null>, options = {}): void {
    const url = new URL(this.#url);
    for (const [name, value] of Object.entries(changes)) {
      if (value) url.searchParams.set(name, value);
      else url.searchParams.delete(name);
    }
    this.go(url.href, options);
  }

  /** Follows the links of the console without loading the page again. Called once. */
  begin(): void {
    addEventListener('popstate', () => this.#follow());
    document.addEventListener('click', (event) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || link.target || link.download || link.origin !== location.origin) return;
      if (!link.pathname.startsWith(root)) return;
      event.preventDefault();
      const before = this.#url.pathname;
      this.go(link.href);
      if (this.#url.pathname === before) return;
      scrollTo(0, 0);
      document.querySelector('main')?.focus({preventScroll: true});
    });
  }
}

export const place = new Place();
