import {api, data, type Schemas} from '../../api/client';
import {numeral} from '../../api/numeral';

/** The guid of a newest record of a type; null without any. */
export async function newestRecord(type: Schemas['EntityType'], signal: AbortSignal): Promise<string | null> {
  const params = {query: {PageSize: numeral(1)}};
  const read: Record<Schemas['EntityType'], () => Promise<{guid: string}[]>> = {
    Order: () => data(api.GET('/api/v1/Orders', {params, signal})),
    Shipment: () => data(api.GET('/api/v1/shipments', {params: {query: {perPage: numeral(1)}}, signal})),
    Customer: () => data(api.GET('/api/v1/Customers', {params, signal})),
    Product: () => data(api.GET('/api/v1/Products', {params, signal})),
  };
  return (await read[type]())[0]?.guid ?? null;
}
