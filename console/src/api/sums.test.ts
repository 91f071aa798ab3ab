import {expect, test} from 'vitest';

import {numeralOf} from './numeral';
import {sums} from './sums';

const sumOf = (...digits: string[]) =>
  sums(digits.map((each) => ({amount: numeralOf(each), currency: 'EUR'}))).map(({amount}) => amount.digits);

test('Amounts are added without the errors of doubles', () => {
  expect(sumOf('0.1', '0.2')).toEqual(['0.3']);
  expect(sumOf('9007199254740993', '0.01')).toEqual(['9007199254740993.01']);
  expect(sumOf('4', '5')).toEqual(['9']);
  expect(sumOf('-0.5', '0.25')).toEqual(['-0.25']);
});

test('Each currency has a sum of its own', () => {
  const found = sums([
    {amount: numeralOf('1'), currency: 'EUR'},
    {amount: numeralOf('2'), currency: 'DKK'},
    {amount: numeralOf('3.5'), currency: 'EUR'},
  ]);
  expect(found.map(({currency, amount}) => `${amount.digits} ${currency}`)).toEqual(['4.5 EUR', '2 DKK']);
});
