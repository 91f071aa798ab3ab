import {expect, test, vi} from 'vitest';

import {merge, Rows, type Page} from './rows.svelte';

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

/** A list of a table; its pages have two rows, and the place of a page is the number of the rows before it. */
function paged(table: {guid: string; status?: string}[]) {
  const page = (place: string | null) => {
    const rows = table.slice(Number(place ?? 0));
    return Promise.resolve({rows: rows.slice(0, 2), next: rows.length > 2 ? String(Number(place ?? 0) + 2) : null});
  };
  return new Rows({page, count: () => Promise.resolve(String(table.length))});
}

test('After a change of the person, rows that the list lacks are gone, and those of later pages are read again', async () => {
  const table = ['a', 'b', 'c', 'd', 'e'].map((guid) => ({guid, status: 'pending'}));
  const list = paged(table);
  await list.reset();
  await list.more();
  table.splice(1, 1);
  table[2] = {guid: 'd', status: 'ready'};
  await list.head.refresh();
  expect(list.rows.map(({guid}) => guid).join('')).toBe('abcd');
  await list.reread();
  expect(list.rows.map(({guid, status}) => `${guid} ${status}`)).toEqual(['a pending', 'c pending', 'd ready', 'e pending']);
  expect([list.next, list.newer, list.total]).toEqual([null, [], '4']);
  list.stop();
});

test('A list that could not be read after a change is read anew as soon as it can be', async () => {
  const page = vi.fn<() => Promise<Page<{guid: string}>>>();
  const list = new Rows({page});
  page.mockResolvedValueOnce({rows: [{guid: 'b'}, {guid: 'a'}], next: null});
  await list.reset();
  page.mockRejectedValueOnce(new Error('away'));
  await list.reread();
  expect(list.rows).toHaveLength(2);
  page.mockResolvedValueOnce({rows: [{guid: 'a'}], next: null});
  await list.head.refresh();
  expect(list.rows).toEqual([{guid: 'a'}]);
  list.stop();
});

test('A list that is returned to has as many rows as before, read once', async () => {
  const table = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((guid) => ({guid}));
  const list = paged(table);
  await list.reset({rows: 5});
  expect(list.rows.length).toBe(6);
  await list.more();
  expect(list.rows).toEqual(table);
  await list.reset();
  expect(list.rows.length).toBe(2);
  list.stop();
});
