import {isNumeral} from '../../api/numeral';
import {canonical, isObject, type Json, type JsonObject} from './json';

const mostStates = 50;
const mostCharacters = 500_000;

/** The last states that are kept, the latest last: at most 50, and 500 000 characters together. */
export function bounded(states: readonly JsonObject[]): JsonObject[] {
  let characters = 0;
  const fits = (state: JsonObject) => (characters += canonical(state).length) <= mostCharacters;
  const kept: JsonObject[] = [];
  for (const state of states.slice(-mostStates).reverse()) {
    if (!fits(state)) break;
    kept.unshift(state);
  }
  return kept;
}

/**
 * The place of the only text or number by which two values differ; null if they differ by more or by something
 * else. A text that one of them lacks counts as empty.
 */
export function differingPlace(before: Json | undefined, after: Json | undefined): string | null {
  if (isScalar(before) && isScalar(after)) return '';
  const names = membersOf(before, after);
  if (!names) return null;
  const differing = names.filter((name) => canonical(member(before, name)) !== canonical(member(after, name)));
  const [name] = differing;
  if (name === undefined || differing.length > 1) return null;
  const rest = differingPlace(member(before, name), member(after, name));
  return rest === null ? null : `/${name}${rest}`;
}

function isScalar(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string' || isNumeral(value);
}

/** The names in two objects, or in two lists of the same length; undefined for other values. */
function membersOf(before: Json | undefined, after: Json | undefined): string[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? Object.keys(before) : undefined;
  }
  return isObject(before) && isObject(after) ? [...new Set([...Object.keys(before), ...Object.keys(after)])] : undefined;
}

function member(value: Json | undefined, name: string): Json | undefined {
  return Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
}
