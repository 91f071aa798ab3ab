import {beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';

import {numeral} from '../../api/numeral';
import type {Language} from '../../texts/settings.svelte';
import type {JsonObject} from '../editor/json';
import {recipes} from '../editor/recipes';
import {listOf} from '../editor/steps';
import {stepsOf} from '../editor/definition';

vi.stubGlobal('navigator', {languages: ['en-GB', 'de-DE']});
vi.stubGlobal('localStorage', {getItem: () => null});
vi.stubGlobal('document', {documentElement: {lang: ''}});

const {settings} = await import('../../texts/settings.svelte');
const {beginTexts, t} = await import('../../texts/texts.svelte');
const {beginning, conditionText, pauseText, stepDetail, stepLine} = await import('./describe');
const {apart, cron, duration} = await import('./words');

async function speak(language: Language) {
  settings.language = language;
  await beginTexts();
}

const entry = {triggers: [], timer: null, schedule: null};
const timer = (field: string, offset: string, workdays: boolean | null = null) => beginning({...entry, timer: {field, offset, workdays}}).text;
const schedule = (cron: string, timezone: string | null = null) => beginning({...entry, schedule: {cron, timezone}});

describe('in English', () => {
  beforeEach(() => speak('en'));

  test('A duration has all its units in words', () => {
    expect(duration('P2D')).toBe('2 days');
    expect(duration('P1DT12H')).toBe('1 day, 12 hours');
    expect(duration('-PT1H30M')).toBe('1 hour, 30 minutes');
    expect(duration('P1W')).toBe('1 week');
    expect(duration('PT0.5S')).toBe('0.5 seconds');
    expect(duration('PT0S')).toBe('0 seconds');
    expect(duration('P1D', true)).toBe('1 working day');
    expect(duration('P1W', true)).toBe('7 working days');
    for (const other of ['P', 'PT', 'P1DT', 'P1M', 'P1Y', '2 days', '']) expect(duration(other)).toBe(other);
  });

  test('An offset is before, at or after its field', () => {
    expect(timer('estimatedDelivery', '-PT1H30M')).toBe('1 hour, 30 minutes before estimatedDelivery');
    expect(timer('createdAt', 'PT0S')).toBe('at createdAt');
    expect(timer('lastTraceAt', '+PT24H')).toBe('24 hours after lastTraceAt');
    expect(timer('createdAt', 'P2D', true)).toBe('2 working days after createdAt');
    expect(apart('createdAt', 'soon')).toBe('createdAt soon');
  });

  test('Common schedules are words, and others their expression', () => {
    expect(schedule('0 8 * * mon-fri', 'Europe/London')).toEqual({text: 'Monday to Friday at 08:00 (Europe/London)', isCode: false});
    expect(cron('0 7 * * mon')).toBe('every Monday at 07:00');
    expect(cron('30 7,19 * * 1,4')).toBe('every Monday and Thursday at 07:30 and 19:30');
    expect(cron('15 6 * * *')).toBe('every day at 06:15');
    expect(cron('0 9 * * 0-6')).toBeNull();
    expect(cron('0 9 * * 1-7')).toBe('every day at 09:00');
    expect(cron('0 6 1 * *')).toBe('every month on day 1 at 06:00');
    expect(cron('0 * * * *')).toBe('every hour');
    expect(cron('5 * * * *')).toBe('every hour at minute 5');
    expect(cron('*/15 * * * *')).toBe('every 15 minutes');
    expect(cron('0 */6 * * *')).toBe('every 6 hours');
    expect(cron('* * * * *')).toBe('every minute');
    // Steps that do not divide the hour or the day begin again with each; two restricted days are either of them.
    for (const other of ['*/7 * * * *', '0 */5 * * *', '0 8 1 * mon', '0 8 1 jan *', '0 8-17 * * *', '99 8 * * *', '0 8 0 * *', '0 8 * *', ''])
      expect(cron(other), other).toBeNull();
    expect(schedule('0 8 1 * mon')).toEqual({text: '0 8 1 * mon', isCode: true});
  });

  test('A wait says its event, its limit and its conditions', () => {
    expect(stepLine({type: 'wait', for: {triggers: ['shipment_delivered']}, atMost: 'P2D', workdays: true})).toBe(
      'Wait: for “Parcel delivered”, at most 2 working days',
    );
    expect(stepLine({type: 'wait', until: 'estimatedDelivery', offset: '-PT2H'})).toBe('Wait: until 2 hours before estimatedDelivery');
    expect(stepLine({type: 'wait', until: 'estimatedDelivery', offset: null, delay: null})).toBe('Wait: until estimatedDelivery');
    expect(stepLine({type: 'wait', delay: 'P1DT12H'})).toBe('Wait: 1 day, 12 hours');
    expect(stepLine({type: 'wait', for: {triggers: ['order_shipped', 'order_cancelled'], conditions: {status: 'ready'}}, atMost: 'PT4H'})).toBe(
      'Wait: for “Order shipped” or “Order cancelled”, if status is “ready”, at most 4 hours',
    );
    expect(stepLine({type: 'wait', for: {triggers: null, conditions: {'metadata.paid': true}}, atMost: 'P3D'})).toBe(
      'Wait: until metadata.paid is true, at most 3 days',
    );
  });

  test('A choice has its condition, and a change its fields', () => {
    expect(stepLine({type: 'choose', when: {'steps.stock.answer.left': {gte: numeral(1)}}})).toBe('Choose: if steps.stock.answer.left is at least 1');
    expect(stepLine({type: 'update_record', set: {tags: {add: ['vip'], remove: ['new']}, notes: null, metadata: {gift: true}}})).toBe(
      'Set fields: tags +“vip” −“new”, notes emptied, metadata.gift = true',
    );
    expect(stepLine({type: 'update_status', status: 'cancelled', recipient: 'shipments'})).toBe('Change the status: Cancelled of its parcels');
    expect(stepLine({type: 'webhook', recipient: 'https://example.com', when: {status: {ne: 'ready'}}, onFailure: 'continue'})).toBe(
      'Call a URL: https://example.com, only if status is not “ready”, continues if it fails',
    );
    expect(stepLine({type: 'stop'})).toBe('Stop');
    expect(stepLine({type: 'later_type'})).toBe('later_type');
  });

  test('Groups of conditions stay apart on one line', () => {
    const some = {status: 'ready', any: [{city: 'Bonn', country: 'DE'}, {country: {in: ['GB', 'IE']}}], not: {tags: {exists: false}}};
    expect(conditionText(some)).toBe(
      'status is “ready” and ((city is “Bonn” and country is “DE”) or country is one of “GB”, “IE”) and not (tags has no value)',
    );
    expect(conditionText({status: {changed: true}, city: {changed: false}})).toBe('status was changed and city was not changed');
  });

  test('A reason of a pause that is not known stays as it is', () => {
    expect(pauseText('it fired 900 times within a minute, more than 10 times its rate of the last 7 days')).toContain('900');
    expect(pauseText('something newer')).toBeNull();
  });
});

test('In German, words, numbers and quotes are German', async () => {
  await speak('de');
  expect(stepLine({type: 'wait', for: {triggers: ['shipment_delivered']}, atMost: 'P2D', workdays: true})).toBe(
    'Warten: auf „Sendung zugestellt“, höchstens 2 Arbeitstage',
  );
  expect(timer('estimatedDelivery', '-PT1H30M')).toBe('1 Stunde, 30 Minuten vor estimatedDelivery');
  expect(schedule('0 8 * * mon-fri').text).toBe('Montag bis Freitag um 08:00');
  expect(stepLine({type: 'choose', when: {status: 'ready'}})).toBe('Entscheiden: wenn gilt: status ist „ready“');
  for (const reason of ['The destination answered 410 Gone.', 'every run failed for 5 days', 'the destination asked for it'])
    expect(pauseText(reason)).toMatch(/Ziel|Lauf/);
  expect(pauseText('the query of its schedule took too long 3 times in a row')).toContain('3 Mal');
});

/** Numbers from 0 to `below` - 1, the same in each run. */
function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof generator>;
type Part = [amount: number, unit: string];

/** A duration with its parts: one of working days has whole days alone. */
function anyDuration(random: Random, isWorkdays: boolean): {text: string; parts: Part[]} {
  const some = (unit: string): Part[] => (random(2) ? [[1 + random(19), unit]] : []);
  if (isWorkdays) {
    const days = 1 + random(20);
    return {text: `P${days}D`, parts: [[days, 'D']]};
  }
  const days = some('D');
  const times = ['H', 'M', 'S'].flatMap(some);
  const parts: Part[] = days.length + times.length ? [...days, ...times] : [[1, 'W']];
  const [inDays, inTime] = parts.length === 1 && parts[0]?.[1] === 'W' ? [parts, []] : [days, times];
  const written = (list: Part[]) => list.map(([amount, unit]) => `${amount}${unit}`).join('');
  return {text: `P${written(inDays)}${inTime.length ? `T${written(inTime)}` : ''}`, parts};
}

const unitWords: Record<Language, Record<string, RegExp>> = {
  en: {W: /weeks?/, D: /days?/, H: /hours?/, M: /minutes?/, S: /seconds?/},
  de: {W: /Wochen?/, D: /Tage?/, H: /Stunden?/, M: /Minuten?/, S: /Sekunden?/},
};
const workdayWords = {en: /working days?/, de: /Arbeitstage?/};
const sideWords = {en: {'-': ' before ', '': ' after '}, de: {'-': ' vor ', '': ' nach '}};
const rawDuration = /(^|[^\w.])[+-]?P(\d|T\d)/;

/** A generated wait, and the texts of it that must be in its description. */
function anyWait(random: Random, language: Language): {step: JsonObject; expected: (string | RegExp)[]} {
  const isWorkdays = random(2) === 1;
  const {text, parts} = anyDuration(random, isWorkdays);
  const amounts = parts.map(([amount, unit]) => {
    const words = isWorkdays ? workdayWords[language] : unitWords[language][unit];
    return new RegExp(`\\b${amount} ${words?.source ?? ''}`);
  });
  const counted: JsonObject = isWorkdays ? {workdays: true} : {};
  const sign = random(2) ? '-' : '';
  const kinds = [
    () => ({step: {delay: text}, expected: []}),
    () => ({step: {until: 'estimatedDelivery', offset: sign + text}, expected: ['estimatedDelivery', sideWords[language][sign]]}),
    () => ({step: {for: {triggers: ['shipment_delivered']}, atMost: text}, expected: [t().triggers.shipment_delivered]}),
  ];
  const {step, expected} = kinds[random(kinds.length)]?.() ?? {step: {}, expected: []};
  return {step: {type: 'wait', ...step, ...counted}, expected: [...expected, ...amounts]};
}

const allSteps = (steps: JsonObject[]): JsonObject[] =>
  steps.flatMap((step) => [step, ...allSteps([...listOf(step.then), ...listOf(step.otherwise)])]);

describe.each(['en', 'de'] as const)('in %s', (language) => {
  beforeAll(() => speak(language));

  test('Every generated wait has its event, limit, working days and offset in its text, and nothing raw', () => {
    const random = generator(35);
    for (let index = 0; index < 500; ++index) {
      const {step, expected} = anyWait(random, language);
      const line = stepLine(step);
      expect(line).not.toMatch(rawDuration);
      for (const each of expected) expect(line).toMatch(each);
    }
  });

  test('Every recipe is described without what only the API reads', () => {
    for (const recipe of Object.values(recipes).flatMap((group) => Object.values(group))) {
      const {triggers, timer, schedule} = {...entry, ...recipe} as unknown as Parameters<typeof beginning>[0];
      const begins = beginning({triggers, timer, schedule});
      expect(begins.isCode).toBe(false);
      const texts = [begins.text, ...allSteps(stepsOf(recipe)).map(stepLine)];
      for (const each of texts) {
        expect(each).not.toMatch(rawDuration);
        expect(each).not.toMatch(/\[object|undefined|[*] [*]|":/);
      }
      for (const step of allSteps(stepsOf(recipe))) {
        if (['wait', 'choose', 'update_record', 'update_status'].includes(String(step.type))) expect(stepDetail(step)).not.toBe('');
      }
    }
  });
});
