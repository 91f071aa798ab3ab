import {expect, test} from 'vitest';

import {each} from './each';

test('At most as many calls as allowed are under way, and all are made', async () => {
  let underWay = 0;
  let most = 0;
  const made: number[] = [];
  await each([1, 2, 3, 4, 5], async (entry) => {
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    made.push(entry);
    --underWay;
  }, 2);
  expect(most).toBe(2);
  expect(made).toEqual([1, 2, 3, 4, 5]);
});

test('After an error no other call begins', async () => {
  const made: number[] = [];
  const calls = each([1, 2, 3], (entry) => {
    made.push(entry);
    return Promise.reject(new Error(`no ${entry}`));
  }, 1);
  await expect(calls).rejects.toThrow('no 1');
  expect(made).toEqual([1]);
});
