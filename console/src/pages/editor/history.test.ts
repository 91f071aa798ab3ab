import {expect, test} from 'vitest';

import {numeral} from '../../api/numeral';
import {bounded, differingPlace} from './history';

test('Two definitions that differ by one text have its place, and others have none', () => {
  const before = {name: 'A', steps: [{type: 'mail', to: 'x'}]};
  expect(differingPlace(before, {...before, name: 'B'})).toBe('/name');
  expect(differingPlace({}, {name: 'B'})).toBe('/name');
  expect(differingPlace(before, {name: 'A', steps: [{type: 'mail', to: 'y'}]})).toBe('/steps/0/to');
  expect(differingPlace({delay: numeral(1)}, {delay: numeral(12)})).toBe('/delay');
  expect(differingPlace(before, {name: 'B', steps: []})).toBeNull();
  expect(differingPlace(before, {...before, steps: []})).toBeNull();
  expect(differingPlace({ordered: true}, {ordered: false})).toBeNull();
  expect(differingPlace(before, before)).toBeNull();
});

test('At most 50 states are kept, and 500 000 characters, the latest ones', () => {
  const states = Array.from({length: 51}, (_, index) => ({name: `${index}`}));
  expect(bounded(states)).toEqual(states.slice(1));
  const large = ['a', 'b', 'c'].map((letter) => ({name: letter.repeat(200_000)}));
  expect(bounded(large)).toEqual(large.slice(1));
  expect(bounded([{name: 'd'.repeat(500_000)}])).toEqual([]);
});
