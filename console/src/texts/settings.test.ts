import {beforeEach, expect, test, vi} from 'vitest';

async function languageOf(spoken: string[]) {
  vi.stubGlobal('navigator', {languages: spoken});
  vi.stubGlobal('localStorage', {getItem: () => null});
  return (await import('./settings.svelte')).settings.language;
}

beforeEach(() => vi.resetModules());

test('The first language of the browser that the console knows is taken, and English if it knows none', async () => {
  expect(await languageOf(['de-AT', 'de', 'en'])).toBe('de');
  vi.resetModules();
  expect(await languageOf(['en-GB', 'de'])).toBe('en');
  vi.resetModules();
  expect(await languageOf(['fr', 'de'])).toBe('de');
  vi.resetModules();
  expect(await languageOf(['fr'])).toBe('en');
});
