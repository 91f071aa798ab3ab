import {expect, test} from 'vitest';

import {numeral} from '../../api/numeral';
import {changedRecords} from './effects';

test('A record is listed once, with the number of its changes', () => {
  const effect = (id: number, entityId: string) => ({eventId: numeral(id), entityType: 'Order' as const, entityId});
  expect(changedRecords([effect(1, 'a'), effect(2, 'b'), effect(3, 'a')])).toEqual([
    {entityType: 'Order', entityId: 'a', count: 2},
    {entityType: 'Order', entityId: 'b', count: 1},
  ]);
  expect(changedRecords([])).toEqual([]);
});
