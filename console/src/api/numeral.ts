import type {Language} from '../texts/settings.svelte';

/**
 * A number of the API by its digits. A double cannot hold every id and every decimal value, so that none is made of
 * them: an amount is shown, compared and sent back exactly as it came. The interface has no methods, because
 * openapi-fetch maps the types of answers and would lose them.
 */
export interface Numeral {
  readonly digits: string;
  /** The nearest double, for counts and for drawing. */
  readonly value: number;
}

class DigitsOfNumber implements Numeral {
  constructor(readonly digits: string) {}

  get value(): number {
    return Number(this.digits);
  }

  toString(): string {
    return this.digits;
  }

  /** Called by JSON.stringify: the digits become a number of the document, not a text. */
  toJSON(): unknown {
    return rawJson ? rawJson(this.digits) : this.value;
  }
}

/** A numeral of a count that the console itself makes. */
export function numeral(value: number): Numeral {
  return new DigitsOfNumber(String(value));
}

/** A numeral of digits that were computed exactly. */
export function numeralOf(digits: string): Numeral {
  return new DigitsOfNumber(digits);
}

/** Signs that group thousands, as a pattern: "1,000" is a thousand to one reader and one to another. */
const grouping: Record<Language, string> = {en: ',', de: '[.]'};

/** The text of a number that `typedNumber` reads back. */
export function writtenNumber({digits}: Numeral, language: Language): string {
  return language === 'de' ? digits.replace('.', ',') : digits;
}

/** The pattern of a control for a number that is not negative: those that `typedNumber` reads. */
export function numberPattern(language: Language): string {
  return `(?![1-9]\\d{0,2}${grouping[language]}\\d{3}$)\\d+([.,]\\d+)?`;
}

/**
 * The number that a person has typed, with a decimal point or comma. Undefined if it is not one, or could be one whose
 * thousands are grouped.
 */
export function typedNumber(text: string, language: Language): Numeral | undefined {
  const typed = text.trim();
  if (new RegExp(`^-?[1-9]\\d{0,2}${grouping[language]}\\d{3}$`).test(typed)) return undefined;
  const digits = typed.replace(',', '.').replace(/^(-?)0+(?=\d)/, '$1');
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(digits) ? new DigitsOfNumber(digits) : undefined;
}

export function isNumeral(value: unknown): value is Numeral {
  return value instanceof DigitsOfNumber;
}

// The proposal "JSON.parse source text access": in all browsers of vite.config.ts, not yet in TypeScript's library.
type Reviver = (this: unknown, key: string, value: unknown, context?: {source?: string}) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const rawJson = (JSON as unknown as {rawJSON?: (text: string) => unknown}).rawJSON;

/** Reads a JSON document; each number becomes a Numeral. Throws SyntaxError. */
export function readJson(text: string): unknown {
  return parse(text, (_key, value, context) =>
    typeof value === 'number' ? new DigitsOfNumber(context?.source ?? String(value)) : value,
  );
}
