import {isNumeral, typedNumber, writtenNumber} from '../../api/numeral';
import type {Language} from '../../texts/settings.svelte';
import type {Field} from './conditions';
import {numeralOf, type Json} from './json';

const isNumber = (type: Field['type'] | undefined) => type === 'number' || type === 'integer';

/** The text by which a person writes a value to compare with. */
export function written(value: Json, type: Field['type'] | undefined, language: Language = 'en'): string {
  if (value === null) return '';
  if (isNumeral(value)) return isNumber(type) ? writtenNumber(value, language) : value.digits;
  if (typeof value !== 'string') return JSON.stringify(value);
  // A text that would be read as something else is quoted.
  return parsed(value, type, language) === value ? value : JSON.stringify(value);
}

/** The value that a text stands for: by the type of the field, and by the text itself if the field may have any. */
export function parsed(text: string, type: Field['type'] | undefined, language: Language = 'en'): Json {
  if (text === '') return null;
  if (isNumber(type)) return typedNumber(text, language) ?? text;
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (type !== 'any' && type !== undefined) return text;
  if (text === 'true' || text === 'false') return text === 'true';
  return numeralOf(text) ?? text;
}

function unquoted(text: string): string | undefined {
  if (!/^".*"$/s.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
