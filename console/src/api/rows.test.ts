import {expect, test} from 'vitest';

import {merge} from './rows.svelte';

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
