import {expect, test} from 'vitest';

import {laterSteps} from './later';

test('The steps of choices are numbered in the order of the text', () => {
  const steps = [
    {type: 'webhook', name: 'stock'},
    {type: 'choose', then: [{type: 'wait'}, {type: 'stop'}], otherwise: [{type: 'send_email'}]},
    {type: 'update_record'},
  ] as unknown as Parameters<typeof laterSteps>[0];
  expect(laterSteps(steps, 2)).toEqual([
    {number: 3, type: 'wait', name: null, depth: 1},
    {number: 4, type: 'stop', name: null, depth: 1},
    {number: 5, type: 'send_email', name: null, depth: 1},
    {number: 6, type: 'update_record', name: null, depth: 0},
  ]);
});
