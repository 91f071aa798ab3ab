import {isNumeral} from '../api/numeral';
import {d} from '../texts/definition';
import {number} from '../texts/format';

/** A value of a condition or a record on one line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return d().quoted(value);
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return isNumeral(value) ? number(value) : JSON.stringify(value);
}
