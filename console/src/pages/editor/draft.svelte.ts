import {api, data, type Schemas} from '../../api/client';
import {readJson, type Numeral} from '../../api/numeral';
import {session} from '../../api/session.svelte';
import {changes, editable, rebased} from './definition';
import {bounded, differingPlace} from './history';
import {canonical, having, isObject, without, type Json, type JsonObject} from './json';

interface Kept {
  before: JsonObject;
  now: JsonObject;
  version: Numeral | null;
  earlier?: JsonObject[];
  later?: JsonObject[];
}

/** Milliseconds without a key after which typing in the same field is another step. */
const pause = 1_000;

/**
 * A definition that is being edited. What is not saved is kept in the tab (sessionStorage), for this person only. One
 * for each workflow, and one for the new one. The last changes can be undone, as long as the tab is open; those before
 * another person's version cannot.
 */
export class Draft {
  /** The definition as it was saved; empty for a new workflow. */
  before = $state.raw<JsonObject>({});
  now = $state.raw<JsonObject>({});
  /** The version of `before`; null for a new workflow. */
  version = $state.raw<Numeral | null>(null);
  /** True if `now` comes from the tab. */
  restored = $state(false);
  /** The states before `now`, the latest last, and those after it that were undone. */
  earlier = $state.raw<readonly JsonObject[]>([]);
  later = $state.raw<readonly JsonObject[]>([]);
  /** The number of times that a change was undone or made again. */
  travels = $state(0);
  /** The version that the last save has replaced; a workflow that still has it was read before. */
  replaced: Numeral | null = null;
  readonly changed = $derived(Object.keys(changes(this.before, this.now)).length > 0);

  /** The field in which the person types, and the time of the last key. */
  #typing: {place: string; at: number} | null = null;

  constructor(private readonly id: string) {}

  /** Begins with what is saved, or with what the tab has kept of it. */
  begin(saved: JsonObject, version: Numeral | null): void {
    const kept = read(keyOf(this.id));
    // A draft that was begun on this page a moment ago is not one that came back.
    this.restored = kept !== null && begun !== this.id;
    begun = null;
    this.before = kept?.before ?? saved;
    this.now = kept?.now ?? saved;
    this.version = kept ? kept.version : version;
    this.earlier = statesOf(kept?.earlier);
    this.later = statesOf(kept?.later);
  }

  /** Begins a new workflow with a definition; the page that opens it finds it in the tab. */
  start(definition: JsonObject): void {
    begun = this.id;
    this.rebase({}, null, definition);
  }

  /** Takes `saved` as the base; `now` is what the person has on top of it, and `earlier` what can be undone of it. */
  rebase(saved: JsonObject, version: Numeral | null, now: JsonObject = saved, earlier: readonly JsonObject[] = []): void {
    this.restored = false;
    this.before = saved;
    this.version = version;
    this.earlier = earlier;
    this.later = [];
    this.#show(now);
  }

  /**
   * A version that was saved elsewhere is the new base, unless the person has changed something. One with the same
   * definition, such as that of a switch, takes nothing away.
   */
  meet(saved: JsonObject, version: Numeral): void {
    if (canonical(saved) === canonical(editable(this.before))) {
      this.version = version;
      this.#keep();
    } else if (!this.changed) {
      this.rebase(saved, version);
    }
  }

  /** Takes another person's version as the base, with the changes of this person on top, which can still be undone. */
  keepOn(theirs: JsonObject, version: Numeral): void {
    const mine = (state: JsonObject) => rebased(this.before, state, theirs);
    this.rebase(theirs, version, mine(this.now), this.earlier.map(mine));
  }

  undo(): void {
    const to = this.earlier.at(-1);
    if (!to) return;
    this.later = [...this.later, this.now];
    this.earlier = this.earlier.slice(0, -1);
    ++this.travels;
    this.#show(to);
  }

  redo(): void {
    const to = this.later.at(-1);
    if (!to) return;
    this.earlier = [...this.earlier, this.now];
    this.later = this.later.slice(0, -1);
    ++this.travels;
    this.#show(to);
  }

  set(name: string, value: Json | undefined): void {
    this.replace(having(this.now, name, value));
  }

  drop(...names: string[]): void {
    this.replace(without(this.now, names));
  }

  /** Takes `now` as the change of the person. Typing without a pause in one field is one change. */
  replace(now: JsonObject): void {
    if (canonical(now) !== canonical(this.now)) {
      const place = differingPlace(this.now, now);
      const at = performance.now();
      const continues = place !== null && place === this.#typing?.place && at - this.#typing.at < pause;
      if (!continues) this.earlier = bounded([...this.earlier, this.now]);
      this.later = [];
      this.#typing = place === null ? null : {place, at};
      this.now = now;
      this.#keep();
    } else {
      this.now = now;
    }
  }

  #show(now: JsonObject): void {
    this.#typing = null;
    this.now = now;
    this.#keep();
  }

  #keep(): void {
    const {before, now, version, earlier, later} = this;
    if (!this.changed && !earlier.length && !later.length) return forget(this.id);
    // A tab without room for the history keeps the draft; one that keeps nothing has it as long as the page.
    if (!keep(this.id, {before, now, version, earlier: [...earlier], later: [...later]})) keep(this.id, {before, now, version});
  }

  /**
   * Saves a new workflow, switched off, or what differs from the version that the draft began with. Throws ApiError; 409
   * if another person has saved a version in the meantime.
   */
  async save(guid: string | null, key: string): Promise<Schemas['WorkflowConfigured']> {
    const body = guid
      ? {...changes(this.before, this.now), guid, ifVersion: this.version}
      : {...this.now, isActive: false};
    const header = {'Idempotency-Key': key};
    const sent = this.now;
    const configured = await data(api.POST('/api/workflows/configure', {body: body as never, params: {header}}));
    // What the person has changed since then is not saved.
    if (guid) {
      this.replaced = this.version;
      this.rebase(sent, configured.version, this.now, this.earlier);
    } else {
      forget(this.id);
      begun = configured.guid;
      new Draft(configured.guid).rebase(sent, configured.version, this.now, this.earlier);
    }
    return configured;
  }
}

/** The draft that this page has begun last, until it is opened. */
let begun: string | null = null;

function keyOf(id: string): string {
  return `waybill.draft.${session.user?.guid ?? session.user?.email ?? session.business?.guid ?? ''}.${id}`;
}

function read(key: string): Kept | null {
  try {
    const kept = readJson(sessionStorage.getItem(key) ?? 'null');
    return isObject(kept) && isObject(kept.now) && isObject(kept.before) ? (kept as unknown as Kept) : null;
  } catch {
    return null;
  }
}

function statesOf(kept: unknown): JsonObject[] {
  return Array.isArray(kept) ? kept.filter(isObject) : [];
}

/** True if the tab has a draft. */
export function hasDraft(id: string): boolean {
  return read(keyOf(id)) !== null;
}

/** Returns false if the tab refuses it. */
function keep(id: string, draft: Kept): boolean {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

function forget(id: string): void {
  try {
    sessionStorage.removeItem(keyOf(id));
  } catch {
    // Nothing was kept.
  }
}
