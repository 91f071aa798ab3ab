import type {Schemas} from '../../api/client';

export type RunStatus = Schemas['RunEntry']['status'];

const finals = ['succeeded', 'dead', 'skipped'] as const;
const opens = ['waiting', 'queued', 'running', 'retrying', 'held'] as const;
export type FinalStatus = (typeof finals)[number];
export type OpenStatus = (typeof opens)[number];

export function isFinal(status: string): status is FinalStatus {
  return (finals as readonly string[]).includes(status);
}

export function isOpen(status: string): status is OpenStatus {
  return (opens as readonly string[]).includes(status);
}

export function isStatus(status: string): status is RunStatus {
  return isFinal(status) || isOpen(status);
}

/** The filters of the list of runs. */
export interface RunSelection {
  status?: RunStatus;
  workflowId?: string;
  entityId?: string;
  from?: string;
  to?: string;
}
