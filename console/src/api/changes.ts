import {isNumeral, type Numeral} from './numeral';

/** What differs in `T`; an object in it has only the members that differ. */
type Changes<T> = {
  [Name in keyof T]?: T[Name] extends infer Value
    ? Value extends Numeral | readonly unknown[]
      ? Value
      : Value extends object
        ? Changes<Value>
        : Value
    : never;
};

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value);

/**
 * The fields that the person has changed, also those of the objects in it. The others are not sent, so that what changed
 * elsewhere stays. A list is one field.
 */
export function changes<T extends object>(before: T, now: T): Changes<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(now)) {
    const was: unknown = before[name as keyof T];
    if (JSON.stringify(value) === JSON.stringify(was)) continue;
    result[name] = isRecord(value) && isRecord(was) ? changes(was, value) : value;
  }
  return result as Changes<T>;
}
