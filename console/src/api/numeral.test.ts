import {expect, test} from 'vitest';

import {isNumeral, readJson} from './numeral';

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
