import {expect, test} from 'vitest';

import {assumptionsOf, sizeOf, valuesOf} from './steps';

test('A choice takes a number for itself and for each step of its ways', () => {
  const inner = {type: 'choose', then: [{type: 'stop'}], otherwise: []};
  expect(sizeOf({type: 'choose', then: [{type: 'stop'}, inner], otherwise: [{type: 'stop'}]})).toBe(5);
});

test('Only a step with a name has values, also inside a way', () => {
  const asking = {type: 'webhook', name: 'stock', answer: {left: 'number?'}};
  const paths = valuesOf({type: 'choose', then: [asking], otherwise: [{type: 'wait', for: {}}]}).map(({path}) => path);
  expect(paths).toEqual(['steps.stock.status', 'steps.stock.answer.left']);
});

test('A trial can be told each declared value of an answer, and that a wait for an event times out', () => {
  const steps = [
    {type: 'webhook', name: 'stock', answer: {left: 'number'}},
    {type: 'wait', delay: 'PT1H', name: 'pause'},
    {type: 'choose', then: [{type: 'wait', name: 'paid', for: {triggers: []}}]},
  ];
  expect(assumptionsOf(steps)).toEqual([
    {step: 'stock', path: 'left', type: 'number'},
    {step: 'paid', path: null, type: 'boolean'},
  ]);
});
