import {expect, test, vi} from 'vitest';

import {merge, Rows, type Page} from './rows.svelte';

interface Entry {
  guid: string;
  status?: string;
}

const pending = (guid: string): Entry => ({guid, status: 'pending'});
/** Shown rows and a page, of the rows that are pending; one with a place has further pages. */
const part = (guids: string, next: string | null = null): Page<Entry> => ({rows: [...guids].map(pending), next});
const told = ({newer, left}: {newer: Entry[]; left: string[]}) => [newer.map(({guid}) => guid).join(''), left.join('')];
/** Later letters are newer. */
const byGuid = ({guid}: Entry) => guid;

test('Rows that are shown change in place, and new ones do not move them', () => {
  const read = {rows: [{guid: 'c', status: 'draft'}, {guid: 'b', status: 'ready'}, pending('a')], next: null};
  expect(merge(part('ba'), read)).toEqual({
    rows: [{guid: 'b', status: 'ready'}, pending('a')],
    newer: [{guid: 'c', status: 'draft'}],
    left: [],
  });
});

test('A row that the list has lost has left, and the older row that took its place at the end is not new', () => {
  for (const order of [byGuid, undefined]) {
    expect(told(merge(part('edcb', 'x'), part('ecba', 'x'), order))).toEqual(['', 'd']);
    expect(told(merge(part('edcb', 'x'), part('fecb', 'x'), order))).toEqual(['f', 'd']);
  }
});

test('Rows below the end of the page are not known to have left', () => {
  for (const order of [byGuid, undefined]) {
    expect(told(merge(part('edcba', 'x'), part('gfe', 'x'), order))).toEqual(['gf', '']);
    expect(told(merge(part('edcba', 'x'), part('ed', 'x'), order))).toEqual(['', '']);
    expect(told(merge(part('cba', 'x'), part('fed', 'x'), order))).toEqual(['fed', '']);
    expect(told(merge(part('cba', 'x'), part('', 'x'), order))).toEqual(['', '']);
  }
});

test('The order tells of the last rows, too', () => {
  expect(told(merge(part('edcb', 'x'), part('edca', 'x'), byGuid))).toEqual(['', 'b']);
  expect(told(merge(part('fed', 'x'), part('cba', 'x'), byGuid))).toEqual(['', 'fed']);
});

test('Of rows of the same millisecond, only one above a row that both have is known to have come or left', () => {
  const order = ({guid}: Entry) => ('fe'.includes(guid) ? 'later' : 'same');
  // Within the millisecond, b, d, a, c is the order of the list.
  expect(told(merge(part('febdac', 'x'), part('febd', 'x'), order))).toEqual(['', '']);
  expect(told(merge(part('feb', 'x'), part('febd', 'x'), order))).toEqual(['', '']);
  expect(told(merge(part('febdac', 'x'), part('fbac', 'x'), order))).toEqual(['', 'ed']);
  expect(told(merge(part('feda', 'x'), part('febd', 'x'), order))).toEqual(['b', '']);
});

test('A page that is the whole list tells of all rows', () => {
  for (const order of [byGuid, undefined]) {
    expect(told(merge(part('edc'), part('ab'), order))).toEqual(['ab', 'edc']);
    expect(told(merge(part('edc', 'x'), part(''), order))).toEqual(['', 'edc']);
  }
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
  expect([list.rows.map(({guid}) => guid).join(''), [...list.left]]).toEqual(['abcd', ['b']]);
  await list.reread();
  expect(list.rows.map(({guid, status}) => `${guid} ${status}`)).toEqual(['a pending', 'c pending', 'd ready', 'e pending']);
  expect([list.next, list.newer, list.total, list.left.size]).toEqual([null, [], '4', 0]);
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

/** The same numbers each time, below `most`. */
function numbers(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
}

test('Whatever happens to the records, a read moves no row, and shows none as what it is not', async () => {
  for (let seed = 1; seed <= 30; ++seed) {
    const random = numbers(seed);
    const size = 2 + random(4);
    /** The newest first. */
    const table: {guid: string; status: string}[] = [];
    let made = 0;
    const make = () => table.unshift({guid: String(++made).padStart(4, '0'), status: random(4) ? 'pending' : 'draft'});
    for (let count = random(4 * size); count > 0; --count) make();
    const inList = () => table.filter(({status}) => status === 'pending');
    /** Pages by cursor, which is the last row above. */
    const page = (place: string | null) => {
      const rows = inList().filter(({guid}) => place === null || guid < place);
      return Promise.resolve({rows: rows.slice(0, size), next: rows.length > size ? (rows[size - 1]?.guid ?? null) : null});
    };
    const list = new Rows({page, period: 0, order: ({guid}) => guid});
    await list.reset();
    for (let turn = 0; turn < 40; ++turn) {
      const before = list.rows.map(({guid}) => guid);
      for (let changes = random(size + 2); changes > 0; --changes) {
        const at = random(table.length);
        const row = table[at];
        if (!row || random(3) === 0) make();
        else if (random(8) === 0) table.splice(at, 1);
        else table[at] = {...row, status: row.status === 'pending' ? 'shipped' : 'pending'};
      }
      const what = random(6);
      if (what === 0 && list.next !== null) await list.more();
      await list.head.refresh();
      const shown = list.rows.map(({guid}) => guid);
      const now = inList().map(({guid}) => guid);
      const read = (await page(null)).rows.map(({guid}) => guid);
      const end = read.length < now.length ? (read.at(-1) ?? '') : '';
      const text = `seed ${String(seed)}, turn ${String(turn)}`;
      if (before.length > 0) expect(shown.slice(0, before.length), text).toEqual(before);
      expect(shown.filter((guid) => guid >= end && !list.left.has(guid)), text).toEqual(
        shown.filter((guid) => guid >= end && now.includes(guid)),
      );
      const lowest = list.next === null ? '' : (shown.at(-1) ?? '');
      expect(list.newer.map(({guid}) => guid), text).toEqual(read.filter((guid) => !shown.includes(guid) && guid > lowest));
      if (what === 1) {
        list.showNewer();
        await list.head.refresh();
        expect(list.rows.slice(0, read.length).map(({guid}) => guid), text).toEqual(read);
        expect([list.newer, list.left.size], text).toEqual([[], 0]);
      }
      if (what === 2) {
        await list.reread();
        expect(list.rows.map(({guid}) => guid), text).toEqual(now.slice(0, list.rows.length));
        expect([list.newer, list.left.size], text).toEqual([[], 0]);
      }
    }
    list.stop();
  }
});
