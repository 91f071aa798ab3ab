import {api} from './client';

/** Saves a file of the API under a name. A page cannot link to it, because the call needs the console's header. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves the labels of up to `mostOfFile` parcels as one PDF, in the order given. Throws as `api` does. */
export async function saveLabels(shipmentIds: string[]): Promise<void> {
  const {data} = await api.POST('/api/v1/labels', {body: {shipmentIds}, parseAs: 'blob'});
  save(data as unknown as Blob, `labels-${shipmentIds.length}.pdf`);
}

/** Saves the packing slips or the pick list of up to `mostOfFile` orders as one PDF. Throws as `api` does. */
export async function saveSheets(kind: 'packing-slips' | 'pick-list', orderIds: string[]): Promise<void> {
  const {data} = await api.POST(`/api/v1/${kind}`, {body: {orderIds}, parseAs: 'blob'});
  save(data as unknown as Blob, `${kind}-${orderIds.length}.pdf`);
}

/** The most orders or parcels whose papers the API writes as one file. */
export const mostOfFile = 100;
