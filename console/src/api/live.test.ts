import {afterEach, beforeEach, expect, test, vi} from 'vitest';

import {Live} from './live.svelte';

vi.mock('./connection.svelte', () => ({connection: {away: false, quotaLeft: 1}}));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', {visibilityState: 'visible'});
});
afterEach(() => vi.useRealTimers());

const busy = Object.assign(new Error('busy'), {retryAfterMs: 2_000});

test('A value that is read once is read again after a Retry-After', async () => {
  const read = vi.fn().mockRejectedValueOnce(busy).mockResolvedValueOnce('there');
  const value = new Live<string>(read);
  await value.refresh();
  expect(value.error).toBe(busy);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(read).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect([value.value, value.error]).toEqual(['there', undefined]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(read).toHaveBeenCalledTimes(2);
});

test('Another error is shown until the person tries again', async () => {
  const read = vi.fn().mockRejectedValue(new Error('no'));
  await new Live<string>(read).refresh();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(read).toHaveBeenCalledTimes(1);
});
