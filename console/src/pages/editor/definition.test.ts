import {expect, test} from 'vitest';

import {changes, conflicts, editable, rebased, withSteps} from './definition';

test('A workflow as it is read gives the definition without what is empty', () => {
  const read = {guid: 'x', name: 'A', triggers: ['order_created'], triggerId: 'y', timer: null, conditions: {}, ordered: false, version: null};
  expect(editable(read)).toEqual({name: 'A', triggers: ['order_created']});
});

test('Only what differs is sent, and what was taken away is null', () => {
  const before = {name: 'A', delay: 'PT1H', conditions: {b: 'x', a: 'y'}, ordered: true};
  expect(changes(before, {name: 'B', conditions: {a: 'y', b: 'x'}})).toEqual({name: 'B', delay: null, ordered: false});
});

test('Changes of two people in different members are kept both, and the same member is a conflict', () => {
  const before = {name: 'A', delay: 'PT1H', conditions: {}};
  const mine = {name: 'B', conditions: {a: 'y'}};
  const theirs = {name: 'C', delay: 'PT1H', conditions: {}};
  expect(rebased(before, mine, theirs)).toEqual({name: 'B', conditions: {a: 'y'}});
  expect(conflicts(before, mine, theirs)).toEqual(['name']);
});

test('One action stays an action until a step needs more', () => {
  const action = {type: 'webhook', recipient: 'https://example.com'};
  expect(withSteps({action}, [{...action, method: 'PUT'}])).toEqual({action: {...action, method: 'PUT'}});
  expect(withSteps({action}, [action, {type: 'stop'}])).toEqual({steps: [action, {type: 'stop'}]});
  expect(withSteps({action}, [{...action, name: 'a'}])).toEqual({steps: [{...action, name: 'a'}]});
});
