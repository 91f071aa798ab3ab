import {expect, test, vi} from 'vitest';

vi.stubGlobal('navigator', {languages: ['en']});
vi.stubGlobal('localStorage', {getItem: () => null});

const {ApiError} = await import('./client');
const {isNoRecord} = await import('./no_record');

test('An id that is none means that there is no such record, and another refusal does not', () => {
  const refused = (details: Record<string, string>) => new ApiError(400, 'VALIDATION_ERROR', 'refused', details, null, 0);
  expect(isNoRecord(refused({guid: 'must be a uuid'}))).toBe(true);
  expect(isNoRecord(refused({guid: 'must be a uuid', from: 'must be a time'}))).toBe(false);
  expect(isNoRecord(refused({}))).toBe(false);
  expect(isNoRecord(new ApiError(404, 'NOT_FOUND', '', {}, null, 0))).toBe(false);
  expect(isNoRecord(new Error('must be a uuid'))).toBe(false);
});
