import {expect, test} from 'vitest';

import {changes} from './changes';
import {numeral} from './numeral';

test('only what the person changed is sent', () => {
  expect(changes({name: 'Ada', status: 'available'}, {name: 'Ada L.', status: 'available'})).toEqual({name: 'Ada L.'});
});

test('of an object only the changed members are sent, of a list and a number the whole', () => {
  const before = {address: {city: 'Berlin', state: null}, on: ['a', 'b'], minutes: numeral(60), webhook: null, settings: {currency: 'EUR'}};
  const now = {address: {city: 'Berlin', state: 'BE'}, on: ['b'], minutes: numeral(5), webhook: {url: 'u'}, settings: {currency: 'EUR'}};
  expect(changes<object>(before, now)).toEqual({address: {state: 'BE'}, on: ['b'], minutes: numeral(5), webhook: {url: 'u'}});
  expect(changes<object>(now, {...now, webhook: null})).toEqual({webhook: null});
});

test('without a change nothing is sent', () => {
  expect(changes({on: ['a'], minutes: numeral(60)}, {on: ['a'], minutes: numeral(60)})).toEqual({});
});
