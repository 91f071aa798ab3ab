import {expect, test} from 'vitest';

import {numeral} from '../../api/numeral';
import {outcome} from './outcome';

const run = {finishedAt: '2026-11-28T00:00:00Z', failed: numeral(0), errors: []};

test('An error without an order fails the import, one with an order sets it aside', () => {
  const ofOrder = {externalId: '7', orderNumber: null, reason: 'no lines'};
  const ofStore = {externalId: null, orderNumber: null, reason: '401'};
  expect(outcome({...run, errors: [ofOrder], failed: numeral(1)})).toBe('partly');
  expect(outcome({...run, errors: [ofOrder, ofStore]})).toBe('failed');
});

test('A store that was never read waits; an import without an end runs', () => {
  expect(outcome(null)).toBe('waiting');
  expect(outcome({...run, finishedAt: null})).toBe('running');
  expect(outcome(run)).toBe('good');
});
