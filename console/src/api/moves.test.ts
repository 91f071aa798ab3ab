import {expect, test} from 'vitest';

import source from '../../../domain/records/state_machines.cpp?raw';
import {orderMoves, parcelMoves, shipmentMoves} from './moves';

test.each([
  ['order', orderMoves],
  ['shipment', shipmentMoves],
])('The moves of an %s are those of the domain', (record, moves) => {
  for (const [from, to] of Object.entries(moves)) {
    const table = new RegExp(`from_${record}_${from} =\\s*std::to_array<State>\\(\\s*\\{([^}]*)\\}`).exec(source);
    const names = [...(table?.[1] ?? '').matchAll(/"(\w+)"/g)].map((match) => match[1]);
    expect(names, from).toEqual(to);
  }
});

test.each([[null, true], ['refused', true], ['voided', true], ['bought', false], ['unknown', false], ['voiding', false]])(
  'A parcel whose label is %s can be cancelled: %s',
  (labelStatus, isOffered) => {
    for (const status of ['created', 'exception'] as const)
      expect(parcelMoves({status, labelStatus}).includes('cancelled')).toBe(isOffered);
    expect(parcelMoves({status: 'created', labelStatus})).toContain('collected');
  },
);
