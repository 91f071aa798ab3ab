import {expect, test} from 'vitest';

import {bounds, dayAgo, dayOf, endOf, momentOf, wallClock} from './moment';

test('a planned time is that of the shown zone, in summer and in winter', () => {
  expect(momentOf('2026-07-01T08:00', 'Europe/Berlin')).toBe('2026-07-01T06:00:00.000Z');
  expect(momentOf('2026-12-01T08:00', 'Europe/Berlin')).toBe('2026-12-01T07:00:00.000Z');
  expect(momentOf('2026-12-01T00:30', 'America/New_York')).toBe('2026-12-01T05:30:00.000Z');
  expect(momentOf('2026-12-01T08:00', 'Asia/Kathmandu')).toBe('2026-12-01T02:15:00.000Z');
});

test('a time on the day of a change of the clock has the offset of its own side', () => {
  expect(momentOf('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z');
  expect(momentOf('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(momentOf('2026-10-25T04:00', 'Europe/Berlin')).toBe('2026-10-25T03:00:00.000Z');
});

test('a time that is shown is entered as the same moment', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'])
    for (const at of ['2026-01-15T23:45:00.000Z', '2026-06-15T11:05:00.000Z'])
      expect(momentOf(wallClock(Date.parse(at), zone), zone)).toBe(at);
});

test('the days of a filter are days of the shown zone', () => {
  const tokyo = () => 'Asia/Tokyo';
  const unknown = () => expect.unreachable('no day is given');
  expect(bounds('2026-11-28', '2026-11-28', () => 'America/New_York')).toEqual({
    from: '2026-11-28T05:00:00.000Z',
    to: '2026-11-29T04:59:59.999Z',
  });
  expect(bounds('2026-11-28', null, tokyo)).toEqual({from: '2026-11-27T15:00:00.000Z'});
  expect(bounds(null, null, unknown)).toEqual({});
  expect(bounds('2026-11-28T01:00:00Z', null, unknown)).toEqual({from: '2026-11-28T01:00:00Z'});
});

test('the field of a filter shows the day of a moment in the shown zone', () => {
  expect(dayOf('2026-11-28', () => expect.unreachable('it is a day'))).toBe('2026-11-28');
  expect(dayOf('2026-11-28T23:00:00.000Z', () => 'Europe/Berlin')).toBe('2026-11-29');
  expect(dayOf('yesterday', () => 'UTC')).toBe('');
});

test('the last 24 hours begin with a whole hour', () => {
  expect(dayAgo(Date.parse('2026-11-28T10:59:59Z'))).toBe('2026-11-27T10:00:00.000Z');
});

test('a day ends where the next one begins, also where the clock changes', () => {
  expect(endOf('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29T21:59:59.999Z');
  expect(endOf('2026-10-25', 'Europe/Berlin')).toBe('2026-10-25T22:59:59.999Z');
  expect(endOf('2026-12-31', 'UTC')).toBe('2026-12-31T23:59:59.999Z');
});
