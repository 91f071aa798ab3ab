import {api, data, type Schemas} from './client';
import {numeral} from './numeral';

interface Named {
  entityType: Schemas['EntityType'];
  entityId: string | null;
}

/** The names of records of which a list has the guids: order numbers, names of customers, of products. */
export class RecordNames {
  #names = $state.raw(new Map<string, string>());
  readonly #asked = new Set<string>();

  /** The name of a record; undefined until it is read, and for a parcel, which no filter of its list finds by guid. */
  of(guid: string): string | undefined {
    return this.#names.get(guid);
  }

  /** Reads the names that are not known yet, at most 100 of a kind. Never throws: a list is usable without them. */
  async read(entries: Named[]): Promise<void> {
    const found = await Promise.allSettled([
      this.#ask(entries, 'Order', async (query) =>
        (await data(api.GET('/api/v1/Orders', {params: {query: {...query, $select: 'guid,orderNumber'}}}))).map(
          (order) => [order.guid, order.orderNumber] as const,
        ),
      ),
      this.#ask(entries, 'Customer', async (query) =>
        (await data(api.GET('/api/v1/Customers', {params: {query: {...query, $select: 'guid,name'}}}))).map(
          (customer) => [customer.guid, customer.name] as const,
        ),
      ),
      this.#ask(entries, 'Product', async (query) =>
        (await data(api.GET('/api/v1/Products', {params: {query: {...query, $select: 'guid,name'}}}))).map(
          (product) => [product.guid, product.name] as const,
        ),
      ),
    ]);
    const pairs = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (pairs.length) this.#names = new Map([...this.#names, ...pairs]);
  }

  async #ask(
    entries: Named[],
    type: Named['entityType'],
    read: (query: {$filter: string; PageSize: ReturnType<typeof numeral>}) => Promise<(readonly [string, string])[]>,
  ) {
    const wanted = entries.flatMap(({entityType, entityId}) => (entityType === type && entityId ? [entityId] : []));
    const guids = [...new Set(wanted)].filter((guid) => !this.#asked.has(guid)).slice(0, 100);
    for (const guid of guids) this.#asked.add(guid);
    if (guids.length === 0) return [];
    return read({$filter: `guid in (${guids.join(', ')})`, PageSize: numeral(guids.length)});
  }
}
