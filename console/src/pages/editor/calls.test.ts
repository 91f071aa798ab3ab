import {expect, test} from 'vitest';

import {readJson} from '../../api/numeral';
import {valuesAt} from './calls';
import type {Json} from './json';

test('A path through a list gives each value once, and neither objects nor nothing', () => {
  const record = readJson('{"items":[{"sku":"A"},{"sku":"B"},{"sku":"A"},{}],"tags":["x"],"none":null,"empty":[]}') as Json;
  expect(valuesAt(record, 'items.sku')).toEqual(['A', 'B']);
  expect(valuesAt(record, 'tags')).toEqual(['x']);
  expect([valuesAt(record, 'items'), valuesAt(record, 'none.a'), valuesAt(record, 'empty')]).toEqual([[], [], []]);
});
