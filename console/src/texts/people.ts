import {plural} from './plural';
import type {Language} from './settings.svelte';

// The texts of the export and the erasure of a person, which only the page of customers loads.
const en = {
  export: 'Export data',
  exportTitle: (name: string) => `Export everything about ${name}?`,
  exportHint: 'The file has the customer with all orders, parcels, events, runs and messages, to be given to the person. It is saved on this device. The export is in the audit log.',
  saved: 'The file is saved.',
  erase: 'Erase person',
  eraseTitle: (name: string) => `Erase ${name}?`,
  eraseHint: 'This cannot be undone. It erases:',
  ofCustomer: 'name, e-mail, phone, address, contacts and own data of the customer',
  ofRecords: (orders: string, parcels: string) => `names, addresses and notes in ${plural(orders, 'order', 'orders')} and ${plural(parcels, 'parcel', 'parcels')}, with labels and tracking links`,
  ofMessages: (messages: string) => `recipients and texts of ${plural(messages, 'message', 'messages')}, and what workflows recorded; mails that wait are not sent`,
  ofFiles: 'files of exports of this business, and uploads that are not confirmed and name the person',
  stays: 'Orders and parcels stay with their numbers, items and sums. Before that, export the data if the person wants it.',
  confirm: (name: string) => `Enter “${name}” to confirm`,
  continues: 'The erasure continues if this page is closed.',
  erasedNumbers: (orders: string, parcels: string, events: string, runs: string) => `Erased in ${plural(orders, 'order', 'orders')}, ${plural(parcels, 'parcel', 'parcels')}, ${plural(events, 'event', 'events')} and ${plural(runs, 'run', 'runs')}.`,
};

export type PeopleTexts = typeof en;

const de: PeopleTexts = {
  export: 'Daten exportieren',
  exportTitle: (name) => `Alles über ${name} exportieren?`,
  exportHint: 'Die Datei enthält den Kunden mit allen Aufträgen, Sendungen, Ereignissen, Läufen und Nachrichten, für die Person selbst. Sie wird auf diesem Gerät gespeichert. Der Export steht im Audit-Log.',
  saved: 'Die Datei ist gespeichert.',
  erase: 'Person löschen',
  eraseTitle: (name) => `${name} löschen?`,
  eraseHint: 'Das kann nicht rückgängig gemacht werden. Gelöscht werden:',
  ofCustomer: 'Name, E-Mail, Telefon, Anschrift, Ansprechpartner und eigene Daten des Kunden',
  ofRecords: (orders, parcels) => `Namen, Anschriften und Notizen in ${plural(orders, 'Auftrag', 'Aufträgen')} und ${plural(parcels, 'Sendung', 'Sendungen')}, mit Etiketten und Links zur Sendungsverfolgung`,
  ofMessages: (messages) => `Empfänger und Texte von ${plural(messages, 'Nachricht', 'Nachrichten')}, und was Workflows aufgezeichnet haben; wartende Mails werden nicht gesendet`,
  ofFiles: 'Dateien von Exporten dieses Betriebs, und nicht bestätigte Uploads, die die Person nennen',
  stays: 'Aufträge und Sendungen bleiben mit Nummern, Positionen und Summen. Exportiere vorher die Daten, wenn die Person sie haben möchte.',
  confirm: (name) => `Gib „${name}“ ein, um zu bestätigen`,
  continues: 'Das Löschen läuft weiter, wenn diese Seite geschlossen wird.',
  erasedNumbers: (orders, parcels, events, runs) => `Gelöscht in ${plural(orders, 'Auftrag', 'Aufträgen')}, ${plural(parcels, 'Sendung', 'Sendungen')}, ${plural(events, 'Ereignis', 'Ereignissen')} und ${plural(runs, 'Lauf', 'Läufen')}.`,
};

export const peopleTexts: Record<Language, PeopleTexts> = {en, de};
