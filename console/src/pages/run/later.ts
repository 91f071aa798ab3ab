import type {Schemas} from '../../api/client';

type Step = Schemas['Step'];
type Choice = Schemas['ChoiceStep'];

export interface LaterStep {
  number: number;
  type: Step['type'];
  name: string | null;
  /** The choices that it is inside of. */
  depth: number;
}

/** The steps of a definition after the one with a number. Numbers count in the order of the text, choices included. */
export function laterSteps(steps: Step[], last: number): LaterStep[] {
  const all: LaterStep[] = [];
  const add = (list: Step[], depth: number) => {
    for (const step of list) {
      const name = 'name' in step && typeof step.name === 'string' ? step.name : null;
      all.push({number: all.length + 1, type: step.type, name, depth});
      if (step.type !== 'choose') continue;
      const {then, otherwise} = step as Choice;
      add(then as Step[], depth + 1);
      add((otherwise ?? []) as Step[], depth + 1);
    }
  };
  add(steps, 0);
  return all.filter((step) => step.number > last);
}
