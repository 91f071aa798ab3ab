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

export const crewTone: Record<Schemas['Driver']['status'] | Schemas['Vehicle']['status'], Tone> = {
  available: 'good',
  on_duty: 'moving',
  in_use: 'moving',
  off_duty: 'quiet',
  maintenance: 'warn',
  inactive: 'quiet',
};

/** What a person enters of a route: texts, an empty one for nothing, and the time by the clock of the shown zone. */
export interface RouteFields {
  name: string;
  plannedDate: string;
  driverId: string;
  vehicleId: string;
  notes: string;
}

/** The fields of the API, of which an empty text clears one. */
export function bodyOf(fields: Partial<Omit<RouteFields, 'plannedDate'>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value || null]));
}
