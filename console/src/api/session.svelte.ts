import {api, ApiError, data, type Schemas} from './client';

/**
 * The session of the page. The token is in a cookie that scripts cannot read, so that the page knows only who the
 * caller is. One for the whole page.
 */
class Session {
  /** Null until the first answer, and while nobody is signed in. */
  user = $state.raw<Schemas['Account'] | null>(null);
  business = $state.raw<Schemas['Business'] | null>(null);
  /** True while calls wait for the password. The page stays, and so do its forms. */
  asks = $state(false);
  /** True if they wait because another tab has signed in another person or business. */
  replaced = $state(false);
  /** The API's name for the person and the business that the page shows; null until the first answer. */
  name: string | null = null;
  #waiting: (() => void)[] = [];
  #rereads = false;

  /** Reads who the caller is; asks for the password if nobody is. */
  async begin(): Promise<void> {
    this.name = null;
    const me = data(api.GET('/api/user/me'));
    const mine = data(api.GET('/api/business/my-business')).catch(async (reason: unknown) => {
      // A person without a business is refused all but making one.
      if ((await me).role === null) return null;
      throw reason;
    });
    const [user, business] = await Promise.all([me, mine]);
    this.user = user;
    this.business = business;
  }

  /** Reads the person's role again once a call was refused: somebody may have changed it while the page was open. */
  async rereadRole(): Promise<void> {
    if (this.#rereads) return;
    this.#rereads = true;
    try {
      const user = await data(api.GET('/api/user/me'));
      if (user.guid === this.user?.guid && user.role !== this.user.role) this.user = user;
    } catch {
      // The call that was refused says what is wrong.
    } finally {
      this.#rereads = false;
    }
  }

  /** Returns after the next sign-in; throws the reason of `signal`. All calls that wait share one question. */
  renew(signal: AbortSignal, isReplaced: boolean): Promise<void> {
    this.asks = true;
    this.replaced = isReplaced;
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true});
    });
  }

  /** Signs in by password or one-time link. Throws ApiError. */
  async signIn(by: {email: string; password: string} | {link: string}): Promise<void> {
    const before = this.user;
    const {user} = await data(api.POST('/api/user/login', {body: {...by, session: 'cookie'}}));
    // Another person must not see, or send, what the one before has begun.
    if (before && before.guid !== user.guid) return location.reload();
    this.user = user;
    this.asks = false;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Ends the session, also one that has ended, and leads to the sign-in. Throws ApiError or Unreachable. */
  async signOut(): Promise<void> {
    try {
      await api.POST('/api/user/logout');
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
    location.assign('/console/');
  }

  /** True if the role may change records. The API decides; the page does not offer what it refuses. */
  get operates(): boolean {
    return this.administers || this.user?.role === 'operator';
  }

  /** True if the role may change workflows, users and settings. */
  get administers(): boolean {
    return this.user?.role === 'admin' || this.user?.role === 'owner';
  }
}

export const session = new Session();
