import type {Schemas} from '../../api/client';
import {t} from '../../texts/texts.svelte';

type FeedEvent = Schemas['FeedEvent'];

/** The name of the event's record: its number or its name; undefined for a record that cannot be read. */
export function recordName({entity}: FeedEvent): string | undefined {
  const fields = entity as Record<string, unknown>;
  const name = fields.orderNumber ?? fields.trackingNumber ?? fields.name;
  return typeof name === 'string' ? name : undefined;
}

/** Who made the change, by kind and name. */
export function maker({cause}: FeedEvent): string {
  if (!cause) return '–';
  const actors: Record<string, string> = t().record.actors;
  return [actors[cause.by.type] ?? cause.by.type, cause.by.name].filter(Boolean).join(' · ');
}
