import type {Numeral} from './numeral';
import {numeralOf} from './numeral';

/** The exact sums of amounts by currency, in the order in which the currencies first occur. */
export function sums(amounts: {amount: Numeral; currency: string}[]): {amount: Numeral; currency: string}[] {
  const byCurrency = new Map<string, Numeral[]>();
  for (const {amount, currency} of amounts) byCurrency.set(currency, [...(byCurrency.get(currency) ?? []), amount]);
  return [...byCurrency].map(([currency, each]) => ({currency, amount: sum(each)}));
}

function sum(amounts: Numeral[]): Numeral {
  const places = Math.max(...amounts.map(({digits}) => digits.split('.')[1]?.length ?? 0));
  const whole = amounts.reduce((total, {digits}) => total + scaled(digits, places), 0n);
  const text = String(whole < 0n ? -whole : whole).padStart(places + 1, '0');
  const at = text.length - places;
  return numeralOf(`${whole < 0n ? '-' : ''}${text.slice(0, at)}${places ? `.${text.slice(at)}` : ''}`);
}

/** The amount in units of the last of `places` decimal places. */
function scaled(digits: string, places: number): bigint {
  const [whole = '0', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

/** Below 0 if `a` is less than `b`, as a comparison for sorting. Doubles suffice, since equal ones keep their order. */
export function compare(a: Numeral, b: Numeral): number {
  return a.value - b.value;
}
