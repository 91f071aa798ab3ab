import {isNumeral, readJson, type Numeral} from '../../api/numeral';

/** A part of a definition as the API has it. Numbers keep their digits. */
export type Json = string | boolean | null | Numeral | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value);
}

/** A number of the given digits; undefined if they are none of JSON. */
export function numeralOf(digits: string): Numeral | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(digits)) return undefined;
  return readJson(digits) as Numeral;
}

/** A text that is the same for equal values, whatever the order of their members. */
export function canonical(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
      .join()}}`;
  return JSON.stringify(value);
}

/** `value` with one member set, or without it if `to` is undefined. The order of the others stays. */
export function having(value: JsonObject, name: string, to: Json | undefined): JsonObject {
  return to === undefined ? without(value, [name]) : {...value, [name]: to};
}

/** `value` without the members named. */
export function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
