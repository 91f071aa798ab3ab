import {api, ApiError, data, type Schemas} from '../../api/client';
import {numeral} from '../../api/numeral';
import {t} from '../../texts/texts.svelte';
import {statusText} from '../record/status';
import {canonical, isObject, type Json, type JsonObject} from './json';

export type EntityType = Schemas['EntityType'];
export type Backtested = Schemas['WorkflowBacktested'];
type Definition = Schemas['WorkflowConfigure'];

/** A definition as the calls take it. Nothing is known of its content before the API has checked it. */
export function asDefinition(definition: JsonObject): Definition {
  return definition as unknown as Definition;
}

/** The firings of the last 30 days. Without `Prefer`, the answer is never a job. */
export async function backtest(body: Schemas['WorkflowBacktest'], signal?: AbortSignal): Promise<Backtested> {
  const call = api.POST('/api/workflows/backtest', {body, ...(signal && {signal})});
  return data(call as unknown as Promise<{data: {data: Backtested}}>);
}

/** One record with the members that conditions name. */
export async function record(type: EntityType, guid: string, signal: AbortSignal): Promise<JsonObject> {
  const read = {
    Order: () => data(api.GET('/api/v1/Orders/{orderId}', {params: {path: {orderId: guid}}, signal})),
    Shipment: () => data(api.GET('/api/v1/shipments/{shipmentId}', {params: {path: {shipmentId: guid}}, signal})),
    Customer: () => data(api.GET('/api/v1/Customers/{customerId}', {params: {path: {customerId: guid}}, signal})),
    Product: () => data(api.GET('/api/v1/Products/{guid}', {params: {path: {guid}}, signal})),
  };
  return (await read[type]()) as unknown as JsonObject;
}

/** The name by which people know a record. */
export function nameOf(record: JsonObject): string {
  const name = record.orderNumber ?? record.trackingNumber ?? record.name ?? record.guid;
  return typeof name === 'string' ? name : '';
}

/** The values of a record at a path; several if the path goes through a list. */
export function valuesAt(value: Json | undefined, path: string): Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    const all = value.flatMap((each) => valuesAt(each, path));
    return all.filter((each, index) => all.findIndex((other) => canonical(other) === canonical(each)) === index);
  }
  if (path === '') return isObject(value) ? [] : [value];
  if (!isObject(value)) return [];
  const [name = '', ...rest] = path.split('.');
  return valuesAt(value[name], rest.join('.'));
}

/** What is wrong with a definition, by the place that the API names; undefined for any other error. */
export function problemsOf(error: unknown): Record<string, string> | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined;
  const entries = Object.entries(error.details).map(([place, text]) => [place.replace(/^definition\./, ''), text] as const);
  return entries.length ? Object.fromEntries(entries) : undefined;
}

/** A record to choose. */
export interface Choice {
  guid: string;
  title: string;
  hint: string;
}

/** The newest records of a type. The lists have pages of at least ten. */
export async function latest(type: EntityType, signal: AbortSignal): Promise<Choice[]> {
  const query = {PageSize: numeral(10)};
  const hint = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' · ');
  switch (type) {
    case 'Order': {
      const list = await data(api.GET('/api/v1/Orders', {params: {query}, signal}));
      return list.map((each) => ({guid: each.guid, title: each.orderNumber, hint: hint(each.customer?.name, t().orders.statuses[each.status])}));
    }
    case 'Shipment': {
      const list = await data(api.GET('/api/v1/shipments', {params: {query: {perPage: numeral(10)}}, signal}));
      return list.map((each) => ({guid: each.guid, title: each.trackingNumber, hint: hint(each.recipient.name, t().shipments.statuses[each.status])}));
    }
    case 'Customer': {
      const list = await data(api.GET('/api/v1/Customers', {params: {query}, signal}));
      return list.map((each) => ({guid: each.guid, title: each.name, hint: hint(each.email)}));
    }
    case 'Product': {
      const list = await data(api.GET('/api/v1/Products', {params: {query}, signal}));
      return list.map((each) => ({guid: each.guid, title: each.name, hint: hint(each.sku)}));
    }
  }
}

/** The records of a type that a search finds. */
export async function found(type: EntityType, text: string, signal: AbortSignal): Promise<Choice[]> {
  const query = {q: text, type: type.toLowerCase() as Schemas['SearchEntry']['type']};
  const entries = await data(api.GET('/api/search', {params: {query}, signal}));
  return entries.map((each) => ({
    guid: each.guid,
    title: each.title,
    hint: [each.subtitle, statusText(each)].filter(Boolean).join(' · '),
  }));
}
