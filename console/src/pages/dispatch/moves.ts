import type {Schemas} from '../../api/client';
import type {Tone} from '../../parts/Chip.svelte';

export type DispatchStatus = Schemas['DispatchEntry']['status'];

/** The moves that the API allows (docs/dispatch-states.svg). */
export const dispatchMoves: Record<DispatchStatus, DispatchStatus[]> = {
  draft: ['ready', 'cancelled'],
  ready: ['in_progress', 'draft', 'cancelled'],
  in_progress: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export const dispatchTone: Record<DispatchStatus, Tone> = {
  draft: 'quiet',
  ready: 'moving',
  in_progress: 'moving',
  completed: 'good',
  cancelled: 'quiet',
};
