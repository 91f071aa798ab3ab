import {ApiError, api, data, type Schemas} from '../../api/client';
import {each} from '../../api/each';
import {compare, sums} from '../../api/sums';

type Rate = Schemas['ShipmentRate'];
type Purchase = Schemas['Purchase'];
export type Choice = 'cheapest' | 'fastest';

/** A parcel as a list has it. */
export interface Parcel {
  guid: string;
  trackingNumber: string;
  recipient: {name: string | null};
  labelStatus: string | null;
}

/** Statuses of a purchase that is under way: the parcel's list shows the outcome later. */
const open = ['requested', 'buying'];
/** A parcel in one of these states gets no second label. */
const taken = ['requested', 'buying', 'bought', 'unknown', 'voiding', 'void_refused', 'void_unknown'];
/** Gateways need up to 20 s for a parcel's rates, so that few at a time suffice. */
const parcelsAtATime = 3;
const lookAgainMs = 1_000;
/** A purchase that takes longer goes on without the dialog. */
const longestWaitMs = 60_000;

/** The purchase of one parcel's label. */
export class Entry {
  rates = $state.raw<Rate[]>([]);
  /** Carriers that named no price, with their reasons. */
  messages = $state.raw<string[]>([]);
  rateId = $state<string | null>(null);
  asked = $state(false);
  purchase = $state.raw<Purchase | undefined>();
  readonly key = crypto.randomUUID();

  constructor(readonly parcel: Parcel) {}

  get rate(): Rate | undefined {
    return this.rates.find((each) => each.rateId === this.rateId);
  }

  choose(choice: Choice): void {
    const [first] = this.rates.toSorted((a, b) => (choice === 'fastest' && byTime(a, b)) || compare(a.price, b.price));
    this.rateId = first?.rateId ?? null;
  }
}

/** Shorter transit first; an unknown one is the last. */
function byTime(a: Rate, b: Rate): number {
  const days = (rate: Rate) => rate.transitDays?.value ?? Infinity;
  return days(a) === days(b) ? 0 : days(a) - days(b);
}

/**
 * Buys labels for several parcels: asks all carriers for rates, lets the person choose, buys at the chosen price or
 * less, and follows each purchase. Errors of one parcel are its messages; others end the step and are thrown.
 */
export class Buying {
  readonly entries: Entry[];
  /** Parcels that have a label, or whose purchase is not decided. */
  readonly left: Parcel[];
  readonly #controller = new AbortController();
  #paused = false;

  constructor(parcels: Parcel[]) {
    this.left = parcels.filter(({labelStatus}) => labelStatus !== null && taken.includes(labelStatus));
    this.entries = parcels.filter((parcel) => !this.left.includes(parcel)).map((parcel) => new Entry(parcel));
  }

  get asked(): number {
    return this.entries.filter((entry) => entry.asked).length;
  }

  get chosen(): Entry[] {
    return this.entries.filter((entry) => entry.rate && !entry.purchase);
  }

  get costs() {
    return sums(this.chosen.flatMap(({rate}) => (rate ? [{amount: rate.price, currency: rate.currency}] : [])));
  }

  get bought(): string[] {
    return this.entries.filter((entry) => entry.purchase?.status === 'bought').map((entry) => entry.parcel.guid);
  }

  choose(choice: Choice): void {
    for (const entry of this.entries) entry.choose(choice);
  }

  /** Nothing begins any more; a purchase under way is completed without the dialog. */
  stop(): void {
    this.#controller.abort();
  }

  /** No purchase begins any more; those under way are followed to their end. */
  pause(): void {
    this.#paused = true;
  }

  ask(choice: Choice): Promise<void> {
    return each(this.entries.filter((entry) => !entry.asked), (entry) => this.#ask(entry, choice), parcelsAtATime);
  }

  buy(): Promise<void> {
    return each(this.chosen, (entry) => this.#buy(entry), parcelsAtATime);
  }

  async #ask(entry: Entry, choice: Choice): Promise<void> {
    const path = {shipmentId: entry.parcel.guid};
    try {
      const call = api.POST('/api/v1/shipments/{shipmentId}/rates', {params: {path}, body: {}, signal: this.#controller.signal});
      const {rates, messages} = await data(call);
      entry.rates = rates;
      entry.messages = messages.map(({carrier, message}) => `${carrier.name}: ${message}`);
      entry.choose(choice);
    } catch (error) {
      entry.messages = reasons(error);
    }
    entry.asked = true;
  }

  async #buy(entry: Entry): Promise<void> {
    if (this.#paused || this.#controller.signal.aborted) return;
    const params = {path: {shipmentId: entry.parcel.guid}};
    const headers = {'Idempotency-Key': entry.key};
    try {
      const body = {rateId: entry.rateId};
      entry.purchase = await data(api.POST('/api/v1/shipments/{shipmentId}/label', {params, headers, body}));
      const end = Date.now() + longestWaitMs;
      while (entry.purchase && open.includes(entry.purchase.status) && Date.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
        if (this.#controller.signal.aborted) return;
        const [newest] = await data(api.GET('/api/v1/shipments/{shipmentId}/purchases', {params}));
        entry.purchase = newest;
      }
    } catch (error) {
      entry.messages = reasons(error);
      entry.rateId = null;
    }
  }
}

/** The reasons of a refusal; throws what is no refusal. */
function reasons(error: unknown): string[] {
  if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
  const details = Object.entries(error.details).map(([field, text]) => `${field} ${text}`);
  return details.length ? details : [error.message];
}
