import {plural} from './plural';
import type {Language} from './settings.svelte';

// The texts of the upload of customers, which only their page loads.
const en = {
  begin: 'Upload a file',
  title: 'Upload customers',
  hint: 'A CSV file with up to 100 000 customers. Nothing changes before you have seen what it will do.',
  columns: 'Columns, in any order; only the name is required:',
  choose: 'Choose a CSV file',
  drop: 'or drop it here',
  tooLarge: 'The file has more than 10 MiB. Upload it in parts.',
  repair: 'The file was not taken. Repair these lines and choose it again; line 1 has the names of the columns.',
  plan: (created: string, updated: string) => `The file creates ${plural(created, 'customer', 'customers')} and updates ${updated} known by e-mail address.`,
  confirm: (count: string) => `Take over ${plural(count, 'customer', 'customers')}`,
  consequence: 'All rows are taken over, or none. Workflows for new and changed customers run. Empty fields change nothing; tags replace those of the customer.',
  other: 'Choose another file',
  done: 'All customers are taken over.',
  first: (count: string) => `The first ${plural(count, 'row', 'rows')}:`,
  line: 'Line',
  action: 'Change',
  actions: {create: 'new', update: 'update'},
};

export type UploadTexts = typeof en;

const de: UploadTexts = {
  begin: 'Datei hochladen',
  title: 'Kunden hochladen',
  hint: 'Eine CSV-Datei mit bis zu 100 000 Kunden. Nichts ändert sich, bevor du gesehen hast, was sie bewirkt.',
  columns: 'Spalten, in beliebiger Reihenfolge; nur der Name ist nötig:',
  choose: 'CSV-Datei wählen',
  drop: 'oder hier ablegen',
  tooLarge: 'Die Datei hat mehr als 10 MiB. Lade sie in Teilen hoch.',
  repair: 'Die Datei wurde nicht angenommen. Berichtige diese Zeilen, und wähle sie noch einmal; Zeile 1 hat die Namen der Spalten.',
  plan: (created, updated) => `Die Datei legt ${created} Kunden an und ändert ${updated}, erkannt an der E-Mail-Adresse.`,
  confirm: (count) => `${count} Kunden übernehmen`,
  consequence: 'Alle Zeilen werden übernommen, oder keine. Workflows für neue und geänderte Kunden laufen. Leere Felder ändern nichts; Schlagwörter ersetzen die des Kunden.',
  other: 'Andere Datei wählen',
  done: 'Alle Kunden sind übernommen.',
  first: (count) => `Der Anfang der Datei, ${plural(count, 'Zeile', 'Zeilen')}:`,
  line: 'Zeile',
  action: 'Änderung',
  actions: {create: 'neu', update: 'ändern'},
};

export const uploadTexts: Record<Language, UploadTexts> = {en, de};
