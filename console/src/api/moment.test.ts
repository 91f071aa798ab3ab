import {expect, test} from 'vitest';

import {bounds, dayAgo, dayOf, endOf, isBound, isDay, momentOf, wallClock} from './moment';

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

test('the years that are there while one is typed are no days, and neither are days that the calendar lacks', () => {
  for (const day of ['0000-01-01', '0002-01-01', '0020-12-01', '0202-12-01', '2026-13-45', '2026-02-30', '2026-1-1', ''])
    expect(isDay(day)).toBe(false);
  for (const day of ['1900-01-01', '2024-02-29', '2026-12-31', '9999-12-31']) expect(isDay(day)).toBe(true);
  expect(['2026-13-45', 'yesterday', '2026-11-28T01:00:00Z', '2026-11-28'].map(isBound)).toEqual([false, false, true, true]);
});

test('a bound that is neither a day nor a moment is left to the API, which refuses it', () => {
  const unknown = () => expect.unreachable('no day is given');
  for (const bound of ['2026-13-45', '0000-01-01', '0002-01-01', 'yesterday'])
    expect(bounds(bound, bound, unknown)).toEqual({from: bound, to: bound});
  expect(dayOf('0002-01-01', unknown)).toBe('0002-01-01');
});

test('the last day of the calendar has an end in every zone, and the first years have moments', () => {
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/New_York'])
    expect(bounds(null, '9999-12-31', () => zone)).toEqual({to: '9999-12-31T23:59:59.999Z'});
  expect(endOf('9999-12-30', 'America/New_York')).toBe('9999-12-31T04:59:59.999Z');
  expect(momentOf('0002-01-01T08:00', 'UTC')).toBe('0002-01-01T08:00:00.000Z');
});
