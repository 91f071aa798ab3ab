import type {Schemas} from '../../api/client';
import {t} from '../../texts/texts.svelte';

type Found = Pick<Schemas['SearchEntry'], 'type' | 'status'>;

/** The status of a record that a search finds, in words; empty if it has none. */
export function statusText({type, status}: Found): string {
  const {orders, shipments, workflows} = t();
  const texts = {order: orders.statuses, shipment: shipments.statuses, workflow: workflows.states, customer: {}, product: {}};
  const words: Record<string, string> = texts[type];
  return words[status ?? ''] ?? status ?? '';
}
