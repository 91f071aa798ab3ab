import {expect, test, vi} from 'vitest';

import {en} from '../../texts/en';
import {statusText} from './status';

vi.mock('../../texts/texts.svelte', () => ({t: () => en}));

test('The status of a record is said in words, and one of a newer service as it is', () => {
  expect(statusText({type: 'order', status: 'pending'})).toBe('Pending');
  expect(statusText({type: 'shipment', status: 'in_transit'})).toBe('In transit');
  expect(statusText({type: 'workflow', status: 'disabled'})).toBe('Off');
  expect(statusText({type: 'order', status: 'packed'})).toBe('packed');
  expect(statusText({type: 'customer', status: null})).toBe('');
});
