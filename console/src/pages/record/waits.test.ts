import {expect, test} from 'vitest';

import {waits} from './waits';

test.each(['timer_waiting', 'digest', 'window', 'paused', null] as const)('A workflow waits: %s', (reason) => {
  expect(waits({fired: false, reason})).toBe(true);
});

// They have a time at which they were due, or a run.
test.each(['condition', 'switched_off', 'timer_moved', 'timer_passed', 'limited', 'digest_dropped'] as const)(
  'A workflow does not wait: %s',
  (reason) => {
    expect(waits({fired: false, reason})).toBe(false);
  },
);

test('A workflow that has run does not wait', () => {
  expect(waits({fired: true, reason: null})).toBe(false);
});
