import {api} from './client';

/**
 * Operations of the contract that docs/openapi.json does not describe yet, so that `api` has no types for them. The types
 * here are the contract's (section 15).
 */
const untyped = api as unknown as {
  GET(path: string, options: object): Promise<{data: {data: unknown}}>;
  PUT(path: string, options: object): Promise<{data: {data: unknown}}>;
  POST(path: string, options: object): Promise<{data: unknown}>;
};

/** A list with its filters, as a person keeps it. */
export interface View {
  name: string;
  /** The first part of the URL, such as `orders`. */
  page: string;
  /** The query of the URL, without `?`. */
  query: string | null;
}

export async function readViews(signal?: AbortSignal): Promise<View[]> {
  return ((await untyped.GET('/api/user/views', {signal})).data.data as {views: View[]}).views;
}

/** Replaces all views of the user. */
export async function writeViews(views: View[]): Promise<void> {
  await untyped.PUT('/api/user/views', {body: {views}});
}

/** A thing that a workflow will do. */
export interface Upcoming {
  at: string;
  kind: 'timer' | 'schedule' | 'wait' | 'delay' | 'window' | 'retry' | 'digest';
  workflow: {guid: string; name: string};
  entityId: string | null;
  runId: string | null;
  /** True if the conditions hold for the record as it is now; null if there is no such answer. */
  holdsNow: boolean | null;
}

export async function readUpcoming(entityId: string, signal: AbortSignal): Promise<Upcoming[]> {
  const params = {query: {entityId}};
  return (await untyped.GET('/api/workflows/upcoming', {params, signal})).data.data as Upcoming[];
}

/** The packing slips or the pick list of up to 100 orders, as a PDF. */
export async function readPapers(kind: 'packing-slips' | 'pick-list', orderIds: string[]): Promise<Blob> {
  return (await untyped.POST(`/api/v1/${kind}`, {body: {orderIds}, parseAs: 'blob'})).data as Blob;
}
