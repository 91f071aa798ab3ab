import {expect, test, vi} from 'vitest';

import {numeral} from '../../api/numeral';
import {Tail} from './tail';

const GET = vi.hoisted(() => vi.fn());
vi.mock('../../api/client', () => ({api: {GET}, body: async (call: Promise<{data: unknown}>) => (await call).data}));

const feed = (ids: number[], nextCursor: string, hasMore: boolean) => ({
  data: {data: ids.map((id) => ({eventId: numeral(id)})), nextCursor, hasMore},
});
const ids = (page: {rows: {guid: string}[]}) => page.rows.map((event) => event.guid);
const asked = () => GET.mock.lastCall?.[1].params.query;
const signal = new AbortController().signal;

test('The tail begins at the newest event, and reads what comes after it once', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([9, 8, 7], 'low', true));
  const tail = new Tail({});
  const first = await tail.page(null, signal, null);
  expect([ids(first), first.next, asked().before]).toEqual([['9', '8', '7'], 'low', '']);
  GET.mockResolvedValueOnce(feed([7, 8, 9, 10], 'high', false));
  expect(ids(await tail.page(null, signal, '9'))).toEqual(['10', '9', '8', '7']);
  expect(asked().after).toBe('low');
  GET.mockResolvedValueOnce(feed([], 'higher', false));
  expect(ids(await tail.page(null, signal, '9'))).toEqual(['10', '9', '8', '7']);
  expect(asked().after).toBe('high');
});

test('A read of what has come does not pass for the whole list, so that older events that are shown stay', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([9, 8], 'low', true));
  const tail = new Tail({});
  await tail.page(null, signal, null);
  GET.mockResolvedValueOnce(feed([10], 'high', false));
  expect((await tail.page(null, signal, '9')).next).toBe('high');
});

test('Older events are read backwards from the place', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([6, 5], 'lower', false));
  const page = await new Tail({type: 'order_created'}).page('low', signal, null);
  expect([ids(page), page.next]).toEqual([['6', '5'], null]);
  expect(asked()).toMatchObject({type: 'order_created', before: 'low'});
});

test('A filter that few events meet is read on to the first one, at most ten pages', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([], 'a', true)).mockResolvedValueOnce(feed([3], 'b', true));
  expect(ids(await new Tail({}).page(null, signal, null))).toEqual(['3']);
  expect(asked().before).toBe('a');
  GET.mockReset().mockResolvedValue(feed([], 'x', true));
  const tail = new Tail({});
  expect(await tail.page(null, signal, null)).toEqual({rows: [], next: 'x'});
  expect(GET).toHaveBeenCalledTimes(10);
  GET.mockResolvedValueOnce(feed([], 'y', false));
  await tail.page(null, signal, null);
  expect([GET.mock.calls.length, asked().after], 'nothing is read twice while nothing is shown').toEqual([11, 'x']);
});

test('If more has come than a call brings, the tail begins at the newest again', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([1], 'low', false));
  const tail = new Tail({});
  await tail.page(null, signal, null);
  GET.mockResolvedValueOnce(feed([2, 3], 'between', true)).mockResolvedValueOnce(feed([900, 899], 'high', true));
  const page = await tail.page(null, signal, '1');
  expect([ids(page), page.next]).toEqual([['900', '899'], 'high']);
});

test('After an error the next call reads the same again', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([1], 'low', false));
  const tail = new Tail({});
  await tail.page(null, signal, null);
  GET.mockRejectedValueOnce(new Error('away'));
  await expect(tail.page(null, signal, '1')).rejects.toThrow('away');
  GET.mockResolvedValueOnce(feed([2], 'between', true)).mockRejectedValueOnce(new Error('away again'));
  await expect(tail.page(null, signal, '1')).rejects.toThrow('away again');
  GET.mockResolvedValueOnce(feed([1, 2], 'high', false));
  expect(ids(await tail.page(null, signal, '1'))).toEqual(['2', '1']);
});

test('A list that begins again has the newest events alone', async () => {
  GET.mockReset().mockResolvedValueOnce(feed([1], 'low', false));
  const tail = new Tail({});
  await tail.page(null, signal, null);
  GET.mockResolvedValueOnce(feed([9, 8], 'high', true));
  const page = await tail.page(null, signal, null);
  expect([ids(page), page.next, asked().before]).toEqual([['9', '8'], 'high', '']);
});
