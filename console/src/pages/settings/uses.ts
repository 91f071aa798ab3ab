/** A step of a workflow as far as it can name a template. */
interface Step {
  template?: unknown;
  then?: unknown;
  otherwise?: unknown;
}

/** What a workflow does: a single action, or steps. */
interface Work {
  action?: unknown;
  steps?: unknown;
}

/**
 * The number of the first step that uses a template: null for a single action, undefined if no step does. Steps are
 * numbered from 1 in the order of the text, those inside of choices included.
 */
export function stepWith({action, steps}: Work, code: string): number | null | undefined {
  if (isStep(action) && action.template === code) return null;
  const index = inOrder(steps).findIndex((step) => step.template === code);
  return index < 0 ? undefined : index + 1;
}

function inOrder(steps: unknown): Step[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isStep).flatMap((step) => [step, ...inOrder(step.then), ...inOrder(step.otherwise)]);
}

function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null;
}

/**
 * Looks for uses in a list, some at a time, until enough are found: a business can have hundreds of workflows, and each
 * look is a call.
 */
export async function findUses<T, U>(
  list: T[],
  look: (entry: T) => Promise<U | undefined>,
  {atOnce = 5, enough = 10, most = 100} = {},
): Promise<U[]> {
  const found: U[] = [];
  for (let at = 0; at < Math.min(list.length, most) && found.length < enough; at += atOnce) {
    for (const use of await Promise.all(list.slice(at, at + atOnce).map(look))) if (use !== undefined) found.push(use);
  }
  return found;
}
