import type {Schemas} from '../../api/client';
import type {Tone} from '../../parts/Chip.svelte';

type Run = Pick<Schemas['IntegrationRun'], 'finishedAt' | 'failed' | 'errors'>;
export type Outcome = 'waiting' | 'running' | 'failed' | 'partly' | 'good';

/** The outcome of an import. An error without an order concerns the whole import; others set one order aside. */
export function outcome(run: Run | null): Outcome {
  if (!run) return 'waiting';
  if (run.errors.some((error) => error.externalId === null && error.orderNumber === null)) return 'failed';
  if (!run.finishedAt) return 'running';
  return run.failed.value > 0 || run.errors.length > 0 ? 'partly' : 'good';
}

export const outcomeTone: Record<Outcome, Tone> = {
  waiting: 'quiet',
  running: 'moving',
  failed: 'bad',
  partly: 'warn',
  good: 'good',
};
