import {settings, type Language} from './settings.svelte';

// The texts of purchases of labels, which only the page of carriers loads.
const en = {
  title: 'Labels and costs',
  sums: 'Sums',
  paid: (count: string) => `Paid for ${count}`,
  returned: (amount: string) => `${amount} returned`,
  requested: 'Requested',
  service: 'Service',
  price: 'Price',
  quote: 'Quoted',
  most: 'At most',
  boughtAt: 'Bought',
  voidedAt: 'Voided',
  numbers: 'Carrier’s numbers',
  number: 'The carrier’s number of the parcel',
  reference: 'Reference at the gateway',
  gatewayId: 'Number at the gateway',
  error: 'Error',
  parcel: 'Show the parcel',
  empty: 'No label was bought',
  emptyHint: 'Labels that are bought from carriers appear here with their prices.',
  noneUnknown: 'Nothing to decide',
  noneUnknownHint: 'The outcome of every purchase is known.',
  statuses: {
    requested: 'Requested',
    buying: 'Buying',
    bought: 'Bought',
    refused: 'Refused',
    unknown: 'To decide',
    voiding: 'Voiding',
    voided: 'Voided',
    void_refused: 'Void refused',
    void_unknown: 'Void not known',
  },
  decide: {
    question: 'The answer of the carrier was lost, so the label may be paid. Look there for the reference below, then say what you found.',
    bought: {
      action: 'It was bought',
      effect: 'The label counts as bought with the number below: the parcel gets the number, workflows that wait for the label continue, and no second label is bought. This cannot be undone.',
    },
    not_bought: {
      action: 'It was not bought',
      effect: 'The purchase counts as refused, and the parcel may have another label, which is paid. If the first one turns up within 24 hours, it is recorded, reported and voided. This cannot be undone.',
    },
  },
  decideVoid: {
    question: 'The carrier has not confirmed that the label is void. If you have voided it there, say so.',
    bought: {action: 'It was bought', effect: ''},
    not_bought: {
      action: 'It is voided',
      effect: 'The label counts as voided: its price is not counted, and the parcel may have another label. If the carrier has not voided it, it stays paid. This cannot be undone.',
    },
  },
};

export type PurchaseTexts = typeof en;

const de: PurchaseTexts = {
  title: 'Etiketten und Kosten',
  sums: 'Summen',
  paid: (count) => `Bezahlt für ${count}`,
  returned: (amount) => `${amount} zurück`,
  requested: 'Angefordert',
  service: 'Versandart',
  price: 'Preis',
  quote: 'Angeboten',
  most: 'Höchstens',
  boughtAt: 'Gekauft',
  voidedAt: 'Storniert',
  numbers: 'Nummern des Versanddienstes',
  number: 'Die Nummer der Sendung beim Versanddienst',
  reference: 'Kennzeichen beim Gateway',
  gatewayId: 'Nummer beim Gateway',
  error: 'Fehler',
  parcel: 'Sendung zeigen',
  empty: 'Kein Etikett wurde gekauft',
  emptyHint: 'Bei Versanddiensten gekaufte Etiketten erscheinen hier mit ihren Preisen.',
  noneUnknown: 'Nichts zu entscheiden',
  noneUnknownHint: 'Der Ausgang jedes Kaufs ist bekannt.',
  statuses: {
    requested: 'Angefordert',
    buying: 'Wird gekauft',
    bought: 'Gekauft',
    refused: 'Abgelehnt',
    unknown: 'Zu entscheiden',
    voiding: 'Wird storniert',
    voided: 'Storniert',
    void_refused: 'Storno abgelehnt',
    void_unknown: 'Storno ungewiss',
  },
  decide: {
    question: 'Die Antwort des Versanddienstes ging verloren; das Etikett kann bezahlt sein. Suche dort nach dem Kennzeichen unten und sag, was du gefunden hast.',
    bought: {
      action: 'Es wurde gekauft',
      effect: 'Das Etikett gilt als gekauft, mit der Nummer unten: Die Sendung bekommt sie, Workflows, die auf das Etikett warten, laufen weiter, und kein zweites wird gekauft. Das lässt sich nicht zurücknehmen.',
    },
    not_bought: {
      action: 'Es wurde nicht gekauft',
      effect: 'Der Kauf gilt als abgelehnt, und die Sendung darf ein anderes Etikett bekommen, das bezahlt wird. Taucht das erste innerhalb von 24 Stunden auf, wird es vermerkt, gemeldet und storniert. Das lässt sich nicht zurücknehmen.',
    },
  },
  decideVoid: {
    question: 'Der Versanddienst hat das Storno nicht bestätigt. Wenn du das Etikett dort storniert hast, sag es hier.',
    bought: {action: 'Es wurde gekauft', effect: ''},
    not_bought: {
      action: 'Es ist storniert',
      effect: 'Das Etikett gilt als storniert: Sein Preis zählt nicht, und die Sendung darf ein anderes bekommen. Hat der Versanddienst es nicht storniert, bleibt es bezahlt. Das lässt sich nicht zurücknehmen.',
    },
  },
};

const texts: Record<Language, PurchaseTexts> = {en, de};

/** The texts of purchases in the language of the person. */
export const purchaseTexts = (): PurchaseTexts => texts[settings.language];
