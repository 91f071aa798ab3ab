import {expect, test, vi} from 'vitest';

import {readJson} from '../../api/numeral';
import {en} from '../../texts/en';
import {found, latest, valuesAt} from './calls';
import type {Json} from './json';

const GET = vi.hoisted(() => vi.fn());
vi.mock('../../api/client', () => ({api: {GET}, data: (call: unknown) => call}));
vi.mock('../../texts/texts.svelte', () => ({t: () => en}));

test('A path through a list gives each value once, and neither objects nor nothing', () => {
  const record = readJson('{"items":[{"sku":"A"},{"sku":"B"},{"sku":"A"},{}],"tags":["x"],"none":null,"empty":[]}') as Json;
  expect(valuesAt(record, 'items.sku')).toEqual(['A', 'B']);
  expect(valuesAt(record, 'tags')).toEqual(['x']);
  expect([valuesAt(record, 'items'), valuesAt(record, 'none.a'), valuesAt(record, 'empty')]).toEqual([[], [], []]);
});

test('The hint of a record to choose has its status in words', async () => {
  const {signal} = new AbortController();
  GET.mockResolvedValueOnce([{guid: 'a', orderNumber: 'ORD-1', customer: {name: 'Ada'}, status: 'pending'}]);
  expect(await latest('Order', signal)).toEqual([{guid: 'a', title: 'ORD-1', hint: 'Ada · Pending'}]);
  GET.mockResolvedValueOnce([{guid: 'b', type: 'shipment', title: 'WB-1', subtitle: 'Ada', status: 'in_transit'}]);
  expect(await found('Shipment', 'WB', signal)).toEqual([{guid: 'b', title: 'WB-1', hint: 'Ada · In transit'}]);
});
