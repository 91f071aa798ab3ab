import {beforeEach, expect, test, vi} from 'vitest';

import {hasStep, keepStep} from './first_steps';

const session = vi.hoisted(() => ({user: {guid: 'ada'} as {guid: string | null}, business: {guid: 'acme'}}));
vi.mock('./session.svelte', () => ({session}));

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

test('A test that a person has sent is a step of this person alone', () => {
  expect(hasStep('tested')).toBe(false);
  keepStep('tested');
  expect([hasStep('tested'), hasStep('hidden')]).toEqual([true, false]);
  session.user = {guid: 'grace'};
  expect(hasStep('tested')).toBe(false);
  session.user = {guid: null};
  expect(hasStep('tested')).toBe(false);
  keepStep('tested');
  expect(hasStep('tested'), 'of a one-time link').toBe(true);
});

test('A browser that keeps nothing has no step', () => {
  vi.stubGlobal('localStorage', undefined);
  keepStep('tested');
  expect(hasStep('tested')).toBe(false);
});
