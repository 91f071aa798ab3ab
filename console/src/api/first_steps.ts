import {session} from './session.svelte';

/** The steps of the guide that the service does not know of: the person has sent a test, or wants no guide. */
type Step = 'tested' | 'hidden';

/** Keeps in this browser that the person has done a step. */
export function keepStep(step: Step): void {
  try {
    localStorage.setItem(keyOf(step), 'true');
  } catch {
    // A browser that keeps nothing: the guide shows the step again.
  }
}

export function hasStep(step: Step): boolean {
  try {
    return localStorage.getItem(keyOf(step)) === 'true';
  } catch {
    return false;
  }
}

/** The session of a one-time link is nobody's; its steps are those of the business. */
function keyOf(step: Step): string {
  return `waybill.${step}.${session.user?.guid ?? session.business?.guid ?? ''}`;
}
