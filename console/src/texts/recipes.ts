import type {Language} from './settings.svelte';

// The texts of the recipes, which only the editor loads.
const en = {
  lateShipment: ['Late shipment', 'Twelve hours after the estimated delivery, for parcels that have not arrived.'],
  noScanForADay: ['No scan for a day', 'A day after the last scan, while the parcel is under way.'],
  chatOnException: ['Chat on exception', 'Writes to a chat, at most ten times an hour for one carrier.'],
  escalateWhenNoScanComes: ['Escalate when no scan comes', 'Waits a day for the next scan of a collected parcel, then calls the carrier’s desk.'],
  exceptionInTwoStages: ['Exception in two stages', 'Tells the team at once, and its lead if the parcel does not move on within four hours.'],
  giftOrder: ['Gift order', 'Orders whose own data say “gift” get a tag and a note for the packer.'],
  tagByCountry: ['Tag by country', 'Orders that go to another country get the tag “export”.'],
  approvalOfHighValues: ['Approval of high values', 'Shows orders of 1 000 or more to a person, and again after a day without approval.'],
  shipImportedOrders: ['Ship imported orders', 'Makes the parcel of each paid order that a store brings.'],
  dailyReport: ['Daily report', 'The orders that wait in one message, every working day at eight.'],
  dailyDigestForTheWarehouse: ['Daily digest for the warehouse', 'Collects the cancelled orders of a day, for each country apart.'],
  remindAfterTwoDays: ['Remind after two days', 'For orders that have been pending for two days.'],
  askAndDecide: ['Ask and decide', 'Asks the stock service. Enough in stock: ship. Otherwise tag the order and tell the desk.'],
  remindUnlessShipped: ['Remind unless shipped', 'Two days after an order came in, unless it has shipped or is cancelled.'],
  holdUntilPayment: ['Hold until payment', 'Waits up to three days for the payment, then ships or cancels the order.'],
  reportTheLastChange: ['Report the last change', 'Five minutes after the last change of an order, so that ten quick changes are one message.'],
  cheapestLabel: ['Cheapest label', 'Ships a packed order and buys the cheapest label of all carriers, up to 12.'],
  dearLabel: ['Dear label', 'A mail when a label costs more than 20 €.'],
  smsOnDelivery: ['SMS on delivery', 'A form for Twilio. At night the message waits until nine.'],
  mailOnDelivery: ['Mail on delivery', 'Mails the customer when the parcel has arrived.'],
  oneMessageForSeveralParcels: ['One message for several parcels', 'Collects the parcels that go out for delivery to one phone number.'],
  secondMessageOnAWorkingDay: ['Second message on a working day', 'When an order ships, and again two working days later unless it has arrived.'],
  askForAReview: ['Ask for a review', 'A week after the delivery, unless the parcel comes back.'],
} satisfies Record<string, [title: string, hint: string]>;

export type RecipeName = keyof typeof en;

const de: Record<RecipeName, [title: string, hint: string]> = {
  lateShipment: ['Verspätete Sendung', 'Zwölf Stunden nach der erwarteten Zustellung, für Sendungen, die nicht angekommen sind.'],
  noScanForADay: ['Einen Tag kein Scan', 'Einen Tag nach dem letzten Scan, solange die Sendung unterwegs ist.'],
  chatOnException: ['Chat bei Störung', 'Schreibt in einen Chat, höchstens zehnmal je Stunde und Versanddienst.'],
  escalateWhenNoScanComes: ['Eskalieren ohne Scan', 'Wartet einen Tag auf den nächsten Scan einer abgeholten Sendung und meldet sich dann beim Versanddienst.'],
  exceptionInTwoStages: ['Störung in zwei Stufen', 'Sofort an das Team, und an die Leitung, wenn es nach vier Stunden nicht weitergeht.'],
  giftOrder: ['Geschenk', 'Aufträge, deren eigene Daten „gift“ sagen, bekommen ein Schlagwort und einen Packhinweis.'],
  tagByCountry: ['Schlagwort nach Land', 'Aufträge in ein anderes Land bekommen das Schlagwort „export“.'],
  approvalOfHighValues: ['Freigabe hoher Werte', 'Zeigt Aufträge ab 1 000 einer Person, und nach einem Tag ohne Freigabe noch einmal.'],
  shipImportedOrders: ['Importierte Aufträge versenden', 'Legt zu jedem bezahlten Auftrag eines Shops die Sendung an.'],
  dailyReport: ['Tagesbericht', 'Die wartenden Aufträge in einer Nachricht, jeden Arbeitstag um acht.'],
  dailyDigestForTheWarehouse: ['Tagesliste für das Lager', 'Sammelt die Stornos eines Tages, für jedes Land einzeln.'],
  remindAfterTwoDays: ['Nach zwei Tagen erinnern', 'Für Aufträge, die seit zwei Tagen offen sind.'],
  askAndDecide: ['Fragen und entscheiden', 'Fragt den Bestand. Genug da: versenden. Sonst Schlagwort und Nachricht an den Einkauf.'],
  remindUnlessShipped: ['Erinnern, wenn nicht versandt', 'Zwei Tage nach dem Eingang, außer der Auftrag ist versandt oder storniert.'],
  holdUntilPayment: ['Bis zur Zahlung halten', 'Wartet bis zu drei Tage auf die Zahlung, versendet dann oder storniert.'],
  reportTheLastChange: ['Letzte Änderung melden', 'Fünf Minuten nach der letzten Änderung: Zehn schnelle Änderungen sind eine Nachricht.'],
  cheapestLabel: ['Günstigstes Etikett', 'Versendet einen gepackten Auftrag und kauft das günstigste Etikett, höchstens 12.'],
  dearLabel: ['Teures Etikett', 'Eine Mail, wenn ein Etikett mehr als 20 € kostet.'],
  smsOnDelivery: ['SMS bei Zustellung', 'Ein Formular für Twilio. Nachts wartet die Nachricht bis neun.'],
  mailOnDelivery: ['Mail bei Zustellung', 'Schreibt der Kundin oder dem Kunden, wenn die Sendung angekommen ist.'],
  oneMessageForSeveralParcels: ['Eine Nachricht für mehrere Sendungen', 'Sammelt Sendungen in Zustellung an eine Telefonnummer.'],
  secondMessageOnAWorkingDay: ['Zweite Nachricht am Arbeitstag', 'Beim Versand, und zwei Arbeitstage später noch einmal, wenn nichts angekommen ist.'],
  askForAReview: ['Um Bewertung bitten', 'Eine Woche nach der Zustellung, außer die Sendung kommt zurück.'],
};

export const recipeTexts: Record<Language, Record<RecipeName, [title: string, hint: string]>> = {en, de};
