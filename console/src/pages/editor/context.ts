import {createContext} from 'svelte';

import type {Schemas} from '../../api/client';
import type {EntityType} from './calls';
import type {Field} from './conditions';

/** What the parts of the form need to know of the whole. The members are read when they are needed. */
export interface EditorContext {
  readonly entityType: EntityType;
  readonly fields: readonly Field[];
  readonly triggers: readonly Schemas['Trigger'][];
  readonly templates: readonly Schemas['Template'][];
  readonly readOnly: boolean;
  /** What the API finds wrong, by place. */
  readonly problems: Readonly<Record<string, string>>;
  /** The result of each comparison for the chosen record, and how often it held, by `comparison`. */
  readonly results: ReadonlyMap<string, {holds: boolean; actual: unknown}>;
  readonly counts: ReadonlyMap<string, {held: number; evaluated: number}>;
  /** The steps of the trial by number. */
  readonly tested: ReadonlyMap<number, Schemas['WorkflowTestedStep']>;
}

export const [editorContext, setEditorContext] = createContext<EditorContext>();
