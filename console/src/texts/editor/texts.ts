import {settings, type Language} from '../settings.svelte';
import {de} from './de';
import {en, type EditorTexts} from './en';

const texts: Record<Language, EditorTexts> = {en, de};

/** The texts of the editor in the language of the person. */
export function editorTexts(): EditorTexts {
  return texts[settings.language];
}
