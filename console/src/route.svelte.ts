/** The place of the page: /console/PAGE/ID/TAB?QUERY. Every state of the console is such a URL. */
export interface Route {
  page: string;
  id: string | null;
  tab: string | null;
  query: URLSearchParams;
}

const root = '/console/';

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

  /** Shows a place of the console; `replace` makes no step back, for what is being typed. */
  go(to: string, {replace = false} = {}): void {
    const url = new URL(to, location.href);
    if (url.href === this.#url.href) return;
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    this.#url = url;
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
    addEventListener('popstate', () => (this.#url = new URL(location.href)));
    document.addEventListener('click', (event) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || link.target || link.download || link.origin !== location.origin) return;
      if (!link.pathname.startsWith(root)) return;
      event.preventDefault();
      const before = this.#url.pathname;
      this.go(link.href);
      if (link.pathname === before) return;
      scrollTo(0, 0);
      document.querySelector('main')?.focus({preventScroll: true});
    });
  }
}

export const place = new Place();
