/** The state of the connection to the API, and the quota left. One for the whole page. */
class Connection {
  /** True from a call without an answer until the next one with an answer. */
  away = $state(false);
  /** Counts how often the API came back: what is on the page is then read again. */
  recoveries = $state(0);
  /** Parts of the minute's requests that are left: 0 to 1. */
  quotaLeft = 1;
  #probe: ReturnType<typeof setTimeout> | undefined;

  lost(): void {
    this.away = true;
    this.#probe ??= setTimeout(() => void this.#look(), 2_000);
  }

  found(headers: Headers): void {
    this.#back();
    const limit = Number(headers.get('X-RateLimit-Limit') ?? 0);
    if (limit > 0) this.quotaLeft = Number(headers.get('X-RateLimit-Remaining') ?? limit) / limit;
  }

  #back(): void {
    if (!this.away) return;
    this.away = false;
    ++this.recoveries;
  }

  /** Asks until the API answers. */
  async #look(): Promise<void> {
    this.#probe = undefined;
    try {
      if ((await fetch('/healthz', {cache: 'no-store'})).ok) {
        return this.#back();
      }
    } catch {
      // It is still away.
    }
    this.lost();
  }
}

export const connection = new Connection();
