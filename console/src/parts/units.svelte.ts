import {api, data, type Schemas} from '../api/client';

/** The units of lengths and weights, which all products and parcels of the business have. Read once. */
class Units {
  #settings = $state.raw<Schemas['ProductSettings'] | null>(null);
  #begun = false;

  /** Called by a page that shows measures. Without an answer, they are shown without a unit. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    data(api.GET('/api/v1/Products/settings')).then(
      (settings) => (this.#settings = settings),
      () => (this.#begun = false),
    );
  }

  length(text: string): string {
    return this.#settings ? `${text} ${this.#settings.defaultUnit}` : text;
  }

  weight(text: string): string {
    return this.#settings ? `${text} ${this.#settings.defaultWeightUnit}` : text;
  }
}

export const units = new Units();
