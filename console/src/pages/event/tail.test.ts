import {expect, test, vi} from 'vitest';

import {numeral} from '../../api/numeral';
import {Tail} from './tail';

const GET = vi.hoisted(() => vi.fn());
vi.mock('../../api/client', () => ({api: {GET}, body: async (call: Promise<{data: unknown}>) => (await call).data}));

const feed = (ids: number[], nextCursor: string, hasMore: boolean) => ({
  data: {data: ids.map((id) => ({eventId: numeral(id)})), nextCursor, hasMore},
});
const signal = new AbortController().signal;

test('The tail reads to the end of the feed, then on from there, and shows a repeated event once', async () => {
  GET.mockResolvedValueOnce(feed([1, 2], 'a', true)).mockResolvedValueOnce(feed([3], 'b', false));
  const tail = new Tail({});
  expect((await tail.page(signal)).rows.map((event) => event.guid)).toEqual(['3', '2', '1']);
  GET.mockResolvedValueOnce(feed([3, 4], 'c', false));
  expect((await tail.page(signal)).rows.map((event) => event.guid)).toEqual(['4', '3', '2', '1']);
  expect(GET.mock.lastCall?.[1].params.query.after).toBe('b');
});

test('A feed with more than 20 pages is read on by the next call', async () => {
  GET.mockReset().mockResolvedValue(feed([], 'x', true));
  const tail = new Tail({});
  await tail.page(signal);
  expect([GET.mock.calls.length, tail.behind]).toEqual([20, true]);
});
