import {expect, test} from 'vitest';

import {merge, Rows} from './rows.svelte';

test('Rows that are shown change in place, and new ones do not move them', () => {
  const shown = [
    {guid: 'b', status: 'pending'},
    {guid: 'a', status: 'pending'},
  ];
  const read = [
    {guid: 'c', status: 'draft'},
    {guid: 'a', status: 'ready'},
    {guid: 'b', status: 'pending'},
  ];
  expect(merge(shown, read)).toEqual({
    rows: [
      {guid: 'b', status: 'pending'},
      {guid: 'a', status: 'ready'},
    ],
    newer: [{guid: 'c', status: 'draft'}],
  });
});

test('An empty list shows its first rows at once, a filled one counts them', async () => {
  const reads = [[], [{guid: 'a'}], [{guid: 'b'}, {guid: 'a'}]];
  const list = new Rows({page: () => Promise.resolve({rows: reads.shift() ?? [], next: null})});
  await list.reset();
  expect(list.rows).toEqual([]);
  await list.head.refresh();
  expect(list.rows).toEqual([{guid: 'a'}]);
  await list.head.refresh();
  expect(list.rows).toEqual([{guid: 'a'}]);
  expect(list.newerCount.count).toBe(1);
  list.stop();
});
