import {expect, test} from 'vitest';

import {controlOf} from './refusals';

test('A refusal belongs to the control of its field, or of what the field is a part of', () => {
  const names = new Set(['email', 'emails', 'calendar.holidays', 'address.city', 'webhook']);
  expect(controlOf('email', names)).toBe('email');
  expect(controlOf('emails[3]', names)).toBe('emails');
  expect(controlOf('calendar.holidays[0]', names)).toBe('calendar.holidays');
  expect(controlOf('webhook.url', names)).toBe('webhook');
  expect(controlOf('address.city', names)).toBe('address.city');
  expect(controlOf('address.street', names)).toBeUndefined();
  expect(controlOf('$filter', names)).toBeUndefined();
  expect(controlOf('', names)).toBeUndefined();
});
