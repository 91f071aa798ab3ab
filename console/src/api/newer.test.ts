import {expect, test} from 'vitest';

import {Rows} from './rows.svelte';

const row = (guid: string) => ({guid});

/** A list of a table that grows at its top; its pages have two rows. */
function growing(newer?: number, most?: number) {
  let table = ['b', 'a'].map(row);
  const list = new Rows({
    page: () => Promise.resolve({rows: table.slice(0, 2), next: table.length > 2 ? 'more' : null, newer}),
    period: 0,
    ...(most && {most}),
  });
  return {list, add: (...guids: string[]) => (table = [...guids.map(row), ...table])};
}

const guids = (list: Rows<{guid: string}>) => list.rows.map((each) => each.guid).join('');

test('New rows are shown above those that are shown already', async () => {
  const {list, add} = growing();
  await list.reset();
  add('c');
  await list.head.refresh();
  expect([guids(list), list.newerCount]).toEqual(['ba', {count: 1, isMore: false}]);
  list.showNewer();
  expect([guids(list), list.newerCount]).toEqual(['cba', {count: 0, isMore: false}]);
});

test('A page of new rows alone leaves no gap: the list begins again', async () => {
  const {list, add} = growing();
  await list.reset();
  add('f', 'e', 'd', 'c');
  await list.head.refresh();
  expect(list.newerCount).toEqual({count: 2, isMore: true});
  list.showNewer();
  await list.head.refresh();
  expect(guids(list)).toBe('fe');
});

test('A list that has grown to its most rows begins again, so that its next page still follows', async () => {
  const {list, add} = growing(undefined, 2);
  await list.reset();
  add('c');
  await list.head.refresh();
  list.showNewer();
  await list.head.refresh();
  expect([guids(list), list.next]).toEqual(['cb', 'more']);
});

test('The API tells how many rows are newer than a page holds, up to 100', async () => {
  for (const [newer, isMore] of [[12, false], [100, true]] as const) {
    const {list, add} = growing(newer);
    await list.reset();
    add('f', 'e', 'd', 'c');
    await list.head.refresh();
    expect(list.newerCount).toEqual({count: newer, isMore});
  }
});

test('A row that has left goes when the new ones are shown, and the row that took its place comes', async () => {
  let table = ['d', 'c', 'b', 'a'].map(row);
  const list = new Rows({
    page: () => Promise.resolve({rows: table.slice(0, 3), next: table.length > 3 ? 'more' : null}),
    period: 0,
    order: ({guid}) => guid,
  });
  await list.reset();
  table = ['e', 'd', 'b', 'a'].map(row);
  await list.head.refresh();
  expect([guids(list), list.newerCount.count, [...list.left]]).toEqual(['dcb', 1, ['c']]);
  list.showNewer();
  expect([guids(list), list.newerCount.count, list.left.size]).toEqual(['edb', 0, 0]);
  table = table.slice(1);
  await list.head.refresh();
  expect([guids(list), list.newerCount.count, [...list.left]]).toEqual(['edb', 0, ['e']]);
  list.showNewer();
  expect([guids(list), list.next]).toEqual(['dba', null]);
});
