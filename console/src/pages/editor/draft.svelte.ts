import {api, data, type Schemas} from '../../api/client';
import {readJson, type Numeral} from '../../api/numeral';
import {session} from '../../api/session.svelte';
import {changes} from './definition';
import {having, isObject, without, type Json, type JsonObject} from './json';

interface Kept {
  before: JsonObject;
  now: JsonObject;
  version: Numeral | null;
}

/**
 * A definition that is being edited. What is not saved is kept in the tab (sessionStorage), for this person only. One
 * for each workflow, and one for the new one.
 */
export class Draft {
  /** The definition as it was saved; empty for a new workflow. */
  before = $state.raw<JsonObject>({});
  now = $state.raw<JsonObject>({});
  /** The version of `before`; null for a new workflow. */
  version = $state.raw<Numeral | null>(null);
  /** True if `now` comes from the tab. */
  restored = $state(false);
  readonly changed = $derived(Object.keys(changes(this.before, this.now)).length > 0);

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
  }

  /** Begins a new workflow with a definition; the page that opens it finds it in the tab. */
  start(definition: JsonObject): void {
    begun = this.id;
    this.rebase({}, null, definition);
  }

  /** Takes `saved` as the base; `now` is what the person has on top of it. */
  rebase(saved: JsonObject, version: Numeral | null, now: JsonObject = saved): void {
    this.restored = false;
    this.before = saved;
    this.version = version;
    this.replace(now);
  }

  set(name: string, value: Json | undefined): void {
    this.replace(having(this.now, name, value));
  }

  drop(...names: string[]): void {
    this.replace(without(this.now, names));
  }

  replace(now: JsonObject): void {
    this.now = now;
    const key = keyOf(this.id);
    try {
      if (this.changed) sessionStorage.setItem(key, JSON.stringify({before: this.before, now, version: this.version}));
      else sessionStorage.removeItem(key);
    } catch {
      // A tab that keeps nothing: the draft lives as long as the page.
    }
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
    const configured = await data(api.POST('/api/workflows/configure', {body: body as never, params: {header}}));
    if (guid) this.rebase(this.now, configured.version);
    else forget(this.id);
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

/** The draft of a new workflow, if the tab has one. */
export function hasDraft(id: string): boolean {
  return read(keyOf(id)) !== null;
}

function forget(id: string): void {
  try {
    sessionStorage.removeItem(keyOf(id));
  } catch {
    // Nothing was kept.
  }
}
