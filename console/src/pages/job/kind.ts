import type {Schemas} from '../../api/client';
import {t} from '../../texts/texts.svelte';

/** What a job does. The file of an upload is read by one job, without a known end, and taken over by another. */
export function kindText({kind, progress}: Pick<Schemas['Job'], 'kind' | 'progress'>): string {
  return t().jobs.kinds[kind === 'upload' && progress.of ? 'takeover' : kind];
}
