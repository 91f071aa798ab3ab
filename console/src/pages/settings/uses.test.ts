import {expect, test} from 'vitest';

import {findUses, stepWith} from './uses';

const mail = {type: 'send_email', template: 'thanks'};

test('A step inside of a choice is found, by the number that the text gives it', () => {
  expect(stepWith({action: mail}, 'thanks')).toBe(null);
  expect(stepWith({action: null, steps: [{type: 'stop'}, mail]}, 'thanks')).toBe(2);
  const choice = {type: 'choose', then: [{type: 'stop'}], otherwise: [{type: 'choose', then: [mail]}]};
  expect(stepWith({action: null, steps: [choice]}, 'thanks')).toBe(4);
  expect(stepWith({action: {template: 'other'}, steps: [choice]}, 'welcome')).toBe(undefined);
});

test('Of hundreds of workflows only some are read, a few at a time', async () => {
  let [calls, atOnce, most] = [0, 0, 0];
  const look = async (entry: number) => {
    calls += 1;
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce -= 1;
    return entry % 50 === 0 ? entry : undefined;
  };
  const all = Array.from({length: 500}, (_, index) => index);
  expect(await findUses(all, look)).toEqual([0, 50]);
  expect([calls, most]).toEqual([100, 5]);
  calls = 0;
  expect(await findUses(all, (entry) => look(entry * 50))).toHaveLength(10);
  expect(calls).toBe(10);
});
