import type {JsonObject} from '../editor/json';
import {listOf} from '../editor/steps';

/** A step of a definition with the number that a run gives it. */
export interface NumberedStep {
  number: number;
  step: JsonObject;
  /** The choices that it is inside of. */
  depth: number;
}

/** The steps of a definition with their numbers, which count in the order of the text, choices included. */
export function numberedSteps(steps: JsonObject[]): NumberedStep[] {
  const all: NumberedStep[] = [];
  const add = (list: JsonObject[], depth: number) => {
    for (const step of list) {
      all.push({number: all.length + 1, step, depth});
      add([...listOf(step.then), ...listOf(step.otherwise)], depth + 1);
    }
  };
  add(steps, 0);
  return all;
}
