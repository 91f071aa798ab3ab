import {expect, test} from 'vitest';

import {assumptionsOf, sendingSteps, sizeOf, valuesOf} from './steps';

test('A choice takes a number for itself and for each step of its ways', () => {
  const inner = {type: 'choose', then: [{type: 'stop'}], otherwise: []};
  expect(sizeOf({type: 'choose', then: [{type: 'stop'}, inner], otherwise: [{type: 'stop'}]})).toBe(5);
});

test('The steps that can be tried have the numbers of the text, also inside a way', () => {
  const mail = {type: 'send_email'};
  const choice = {type: 'choose', then: [{type: 'stop'}, mail], otherwise: [{type: 'webhook'}]};
  expect(sendingSteps([{type: 'wait'}, choice, {type: 'send_push'}])).toEqual([
    {number: 4, type: 'send_email'},
    {number: 5, type: 'webhook'},
    {number: 6, type: 'send_push'},
  ]);
  expect(sendingSteps([{type: 'stop'}])).toEqual([]);
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
