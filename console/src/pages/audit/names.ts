import type {Schemas} from '../../api/client';
import {href} from '../../route.svelte';
import {t} from '../../texts/texts.svelte';
import {placeOf} from './places';

type Entry = Schemas['AuditEntry'];

export function actorText({actor}: Entry): string {
  const actors: Record<string, string> = t().audit.actors;
  const kind = actors[actor.type] ?? actor.type;
  return actor.type === 'user' && actor.name ? actor.name : [kind, actor.name].filter(Boolean).join(' · ');
}

export function actionText({action}: Entry): string {
  return t().audit.actions[action];
}

export function entityText({entityType}: Entry): string {
  const entities: Record<string, string> = t().audit.entities;
  return entities[entityType] ?? entityType;
}

/** The URL of the changed record; null if it has no page, or is gone. */
export function entityLink({entityType, entityId, action}: Entry): string | null {
  const at = placeOf(entityType, entityId);
  if (!at || action === 'deleted' || action === 'erased') return null;
  return href(at.path, {open: at.open});
}
