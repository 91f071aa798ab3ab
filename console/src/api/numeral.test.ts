import {expect, test} from 'vitest';

import {isNumeral, numberPattern, numeralOf, readJson, typedNumber, writtenNumber} from './numeral';

// Node 20 does not tell the source of a number; the browsers of vite.config.ts do.
const exact = 'rawJSON' in JSON;

test('A number keeps its place and is not confused with a text of the same digits', () => {
  const read = readJson('{"a": 5, "b": "5", "c": [1.50, null, true]}') as Record<string, unknown>;
  expect(isNumeral(read.a)).toBe(true);
  expect(isNumeral(read.b)).toBe(false);
  expect(JSON.stringify(read)).toBe(exact ? '{"a":5,"b":"5","c":[1.50,null,true]}' : '{"a":5,"b":"5","c":[1.5,null,true]}');
});

test.runIf(exact)('A number that exceeds a double survives', () => {
  const text = '{"id":9007199254740993,"price":0.10000000000000000001}';
  expect(JSON.stringify(readJson(text))).toBe(text);
});

test.each([
  ['12,50', '12.50'],
  ['12.50', '12.50'],
  [' 7 ', '7'],
  ['-0,5', '-0.5'],
  ['007', '7'],
  ['0', '0'],
  ['1e3', '1e3'],
])('A typed number is read: %s', (text, digits) => {
  const read = typedNumber(text, 'en');
  expect(read?.digits).toBe(digits);
  expect(JSON.stringify(read)).toBe(exact ? digits : String(Number(digits)));
});

test('A number that could have grouped thousands is none in the language that groups them so', () => {
  for (const text of ['1,000', '-12,500', '999,999']) {
    expect(typedNumber(text, 'en')).toBeUndefined();
    expect(typedNumber(text, 'de')?.digits).toBe(text.replace(',', '.'));
  }
  for (const text of ['1.000', '12.500']) {
    expect(typedNumber(text, 'de')).toBeUndefined();
    expect(typedNumber(text, 'en')?.digits).toBe(text);
  }
  for (const text of ['0,125', '0.125', '1234.500', '1,25', '1000'])
    for (const language of ['en', 'de'] as const) expect(typedNumber(text, language)).toBeDefined();
});

test.each(['1.250', '1000', '-0.5', '1e3', '12.5'])('A number that is written is read back: %s', (digits) => {
  for (const language of ['en', 'de'] as const)
    expect(typedNumber(writtenNumber(numeralOf(digits), language), language)?.digits).toBe(digits);
});

test.each(['0.125', '12', '1,5', '1,000', '1.000', '1000', '-1', 'a'])('The pattern lets through what is read: %s', (text) => {
  for (const language of ['en', 'de'] as const) {
    const fits = new RegExp(`^(?:${numberPattern(language)})$`, 'v').test(text);
    expect(fits).toBe(!text.startsWith('-') && typedNumber(text, language) !== undefined);
  }
});

test.each(['', ' ', 'abc', '12,', ',5', '1.234,50', '1,2,3', '--1', '12 kg'])('A typed text is not a number: “%s”', (text) => {
  expect(typedNumber(text, 'en')).toBeUndefined();
});
