import type {Language} from './settings.svelte';

// The texts of defaults and of the services of stores, which only the pages of settings and stores load.
const en = {
  hint: 'For orders and parcels that name none. Without a choice of yours, the level and the size shown here have no effect.',
  carrier: 'Carrier',
  level: 'Service level',
  none: 'no default',
  size: 'Size of a package',
  length: 'Length',
  width: 'Width',
  height: 'Height',
  unit: 'Unit',
  messages: 'Messages of workflows',
  email: 'Send mails',
  push: 'Send push messages',
  offHint: 'Where it is off, the steps of workflows are skipped.',
  services: 'Services by shipping method',
  servicesHint: 'The first line that fits sets carrier and service level of an imported order. “*” at the end stands for any continuation.',
  method: 'Method of the checkout',
  ofStore: 'carrier unchanged',
  add: 'Add a line',
  remove: (line: string) => `Remove line ${line}`,
  up: (line: string) => `Move line ${line} up`,
};

export type ShippingTexts = typeof en;

const de: ShippingTexts = {
  hint: 'Für Aufträge und Sendungen, die nichts nennen. Ohne eine Wahl von dir haben Versandart und Größe, die hier stehen, keine Wirkung.',
  carrier: 'Versanddienst',
  level: 'Versandart',
  none: 'keine Vorgabe',
  size: 'Größe eines Pakets',
  length: 'Länge',
  width: 'Breite',
  height: 'Höhe',
  unit: 'Einheit',
  messages: 'Nachrichten von Workflows',
  email: 'Mails senden',
  push: 'Push-Nachrichten senden',
  offHint: 'Wo es aus ist, werden die Schritte von Workflows übergangen.',
  services: 'Versandart nach Methode',
  servicesHint: 'Die erste passende Zeile setzt Versanddienst und Versandart eines importierten Auftrags. „*“ am Ende steht für jede Fortsetzung.',
  method: 'Methode im Shop',
  ofStore: 'Versanddienst unverändert',
  add: 'Zeile hinzufügen',
  remove: (line) => `Zeile ${line} entfernen`,
  up: (line) => `Zeile ${line} nach oben`,
};

export const shippingTexts: Record<Language, ShippingTexts> = {en, de};
