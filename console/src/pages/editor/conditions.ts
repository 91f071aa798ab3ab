import type {Schemas} from '../../api/client';
import {isObject, type Json, type JsonObject} from './json';

export type Field = Schemas['ConditionField'];
export type Operator = Schemas['ConditionOperator'];

/** Comparisons of one path. All must hold, for a list of the same element. */
export interface Row {
  kind: 'row';
  path: string;
  /** A test is pending until the person gives the value to compare with; it is then not part of the conditions. */
  tests: {operator: string; value: Json; pending?: boolean}[];
}

/** `not` holds if not all of its children do. */
export interface Group {
  kind: 'all' | 'any' | 'not';
  children: (Row | Group)[];
}

/** The conditions of the API as a tree. Null if the form cannot show them. */
export function parseConditions(conditions: Json | undefined): Group | null {
  if (conditions === undefined || conditions === null) return {kind: 'all', children: []};
  if (!isObject(conditions)) return null;
  const children: Group['children'] = [];
  for (const [name, value] of Object.entries(conditions)) {
    const child = name === 'all' || name === 'any' || name === 'not' ? parseGroup(name, value) : parseRow(name, value);
    if (!child) return null;
    children.push(child);
  }
  return {kind: 'all', children};
}

function parseGroup(kind: Group['kind'], value: Json): Group | null {
  if (kind === 'not') {
    const inner = parseConditions(value);
    return inner && {kind, children: inner.children};
  }
  if (!Array.isArray(value)) return null;
  const children: Group['children'] = [];
  for (const entry of value) {
    const inner = parseConditions(entry);
    if (!inner) return null;
    const [only] = inner.children;
    children.push(only && inner.children.length === 1 ? only : inner);
  }
  return {kind, children};
}

function parseRow(path: string, value: Json): Row | null {
  if (Array.isArray(value)) return null;
  if (!isObject(value)) return {kind: 'row', path, tests: [{operator: 'eq', value}]};
  return {kind: 'row', path, tests: Object.entries(value).map(([operator, compared]) => ({operator, value: compared}))};
}

/**
 * The conditions as the API has them. What does not fit into one object, such as a path twice, is listed in `all`. Rows
 * without a path or a value and groups without a row are left out.
 */
export function writeConditions(group: Group): JsonObject {
  return writeAll(group.children);
}

function writeAll(children: Group['children']): JsonObject {
  const object: JsonObject = {};
  const further: JsonObject[] = [];
  for (const child of children) {
    if (isEmpty(child)) continue;
    if (child.kind === 'all') {
      further.push(...list(child.children));
      continue;
    }
    const [name, value] = entry(child);
    if (name in object) further.push({[name]: value});
    else object[name] = value;
  }
  return further.length ? {...object, all: further} : object;
}

/** Each child as an object of its own, for `all` and `any`. */
function list(children: Group['children']): JsonObject[] {
  return children.filter((child) => !isEmpty(child)).map((child) => writeAll(child.kind === 'all' ? child.children : [child]));
}

function entry(child: Row | Group): [name: string, value: Json] {
  if (child.kind === 'row') return [child.path, writeTests(child.tests.filter((test) => !test.pending))];
  return child.kind === 'any' ? ['any', list(child.children)] : ['not', writeAll(child.children)];
}

function isEmpty(child: Row | Group): boolean {
  return child.kind === 'row' ? !child.path || child.tests.every((test) => test.pending) : child.children.every(isEmpty);
}

function writeTests(tests: Row['tests']): Json {
  const [only] = tests;
  if (only && tests.length === 1 && only.operator === 'eq') return only.value;
  return Object.fromEntries(tests.map(({operator, value}) => [operator, value]));
}

/** The field that a path names: itself, a key of `metadata`, or the value before the event. */
export function fieldOf(fields: readonly Field[], path: string): Field | undefined {
  const own = path.startsWith('previous.') ? path.slice('previous.'.length) : path;
  return (
    fields.find((field) => field.path === own) ??
    (own.startsWith('metadata.') ? fields.find((field) => field.path === 'metadata.*') : undefined)
  );
}

/** Names one comparison, to find its result among those of a trial or a backtest. */
export function comparison(path: string, operator: string, value: Json): string {
  return JSON.stringify([path, operator, value]);
}

/**
 * True if the group holds, by the results of its comparisons; undefined while one is not known, and where several
 * comparisons must hold for the same element of a list, which single results do not tell.
 */
export function holds(
  child: Row | Group,
  resultOf: (key: string) => boolean | undefined,
  fields: readonly Field[],
): boolean | undefined {
  if (child.kind === 'row') {
    if (child.tests.length > 1 && fieldOf(fields, child.path)?.array !== false) return undefined;
    return every(child.tests.map(({operator, value}) => resultOf(comparison(child.path, operator, value))));
  }
  const children = child.children.filter((each) => !isEmpty(each)).map((each) => holds(each, resultOf, fields));
  if (child.kind === 'any') return inverse(every(children.map(inverse)));
  return child.kind === 'not' ? inverse(every(children)) : every(children);
}

function every(results: (boolean | undefined)[]): boolean | undefined {
  if (results.includes(false)) return false;
  return results.includes(undefined) ? undefined : true;
}

function inverse(result: boolean | undefined): boolean | undefined {
  return result === undefined ? undefined : !result;
}
