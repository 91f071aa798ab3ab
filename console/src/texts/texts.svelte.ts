import {en, type Texts} from './en';
import {settings, type Language} from './settings.svelte';

const files: Record<Language, () => Promise<Texts>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import('./de')).de,
};

let current = $state.raw<Texts>(en);

/** The texts in the language of the person. */
export function t(): Texts {
  return current;
}

/** Loads the texts of the chosen language. Called before the first page and at each choice. */
export async function beginTexts(): Promise<void> {
  current = await files[settings.language]();
  document.documentElement.lang = settings.language;
}
