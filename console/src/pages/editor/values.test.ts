import {expect, test} from 'vitest';

import {parsed, written} from './values';

test.each(['vip', '5', 'true', '', '"x"', '"'])('A text stays a text, also in a field with any type: %s', (text) => {
  expect(parsed(written(text, 'any'), 'any')).toBe(text);
  expect(parsed(written(text, 'string'), 'string')).toBe(text);
});

test('A number keeps its digits, and what is none is left for the API to refuse', () => {
  expect(written(parsed('0.10', 'number'), 'number')).toMatch(/^0\.10?$/);
  expect(parsed('12,5', 'number')).toMatchObject({digits: '12.5'});
  expect(parsed(written(parsed('1.250', 'number'), 'number', 'de'), 'number', 'de')).toMatchObject({digits: '1.250'});
  expect(parsed('abc', 'number')).toBe('abc');
  expect(parsed('12,5', 'any')).toBe('12,5');
});
