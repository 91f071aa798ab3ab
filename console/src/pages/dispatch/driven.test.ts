import {expect, test, vi} from 'vitest';

vi.stubGlobal('navigator', {languages: ['en-GB', 'de-DE']});
vi.stubGlobal('localStorage', {getItem: () => null});

const {settings} = await import('../../texts/settings.svelte');
const {driven} = await import('./driven');

test('The time of a route has the units of the language', () => {
  settings.language = 'de';
  expect(driven('16h 39m')).toBe('16 Std. 39 Min.');
  expect(driven('39m')).toBe('39 Min.');
  settings.language = 'en';
  expect(driven('1h 0m')).toMatch(/^1 hr? 0 mins?$/);
  expect(driven('unknown')).toBe('unknown');
});
