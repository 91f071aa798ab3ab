import {expect, test} from 'vitest';

import {numberedSteps} from './later';

test('The steps of choices are numbered in the order of the text', () => {
  const steps = [
    {type: 'webhook', name: 'stock'},
    {type: 'choose', then: [{type: 'wait'}, {type: 'stop'}], otherwise: [{type: 'send_email'}]},
    {type: 'update_record'},
  ];
  expect(numberedSteps(steps).map(({number, step, depth}) => [number, step.type, depth])).toEqual([
    [1, 'webhook', 0],
    [2, 'choose', 0],
    [3, 'wait', 1],
    [4, 'stop', 1],
    [5, 'send_email', 1],
    [6, 'update_record', 0],
  ]);
});
