import type {Schemas} from '../../api/client';

type Workflow = Pick<Schemas['ExplainedWorkflow'], 'fired' | 'reason'>;

const waiting: Workflow['reason'][] = ['timer_waiting', 'digest', 'window', 'paused'];

/** True if a workflow is still to act on an event. Without a reason the event is not matched yet. */
export function waits({fired, reason}: Workflow): boolean {
  return !fired && (reason === null || waiting.includes(reason));
}
