import type {Schemas} from './client';
import {isNumeral} from './numeral';

type Result = Schemas['ConditionResult'];

/** A group of conditions, or one comparison with the value that it met. */
export type ConditionTree =
  | {kind: 'all' | 'any' | 'not'; holds: boolean; children: ConditionTree[]}
  | {kind: 'comparison'; holds: boolean; result: Result};

/** Thrown within this file if results are not those of a definition. */
class Differs extends Error {}

/**
 * Groups results, which the API lists in the order written, as a workflow's conditions group them. A definition that
 * has changed since, or cannot be read here, gives one group with all results as they are; `isWhole` is false then.
 */
export function conditionTree(conditions: unknown, results: Result[]): {tree: ConditionTree; isWhole: boolean} {
  const waiting = [...results];
  try {
    const tree = group(conditions, waiting);
    if (waiting.length === 0) return {tree, isWhole: true};
  } catch (error) {
    if (!(error instanceof Differs)) throw error;
  }
  return {tree: flat(results), isWhole: false};
}

/** One group with all results, where the definition is not known. */
function flat(results: Result[]): ConditionTree {
  return all(results.map((result) => ({kind: 'comparison', holds: result.holds, result})));
}

/** All members of an object must hold: groups, and fields with their comparisons. */
function group(conditions: unknown, waiting: Result[]): ConditionTree {
  if (!isObject(conditions)) throw new Differs();
  const children = Object.entries(conditions).flatMap(([name, value]) => {
    if (name === 'not') return [not(group(value, waiting))];
    if (name !== 'all' && name !== 'any') return comparisons(name, value, waiting);
    if (!Array.isArray(value)) throw new Differs();
    const members = value.map((member) => group(member, waiting));
    return [name === 'all' ? all(members) : any(members)];
  });
  const [only] = children;
  return only && children.length === 1 ? only : all(children);
}

function comparisons(path: string, value: unknown, waiting: Result[]): ConditionTree[] {
  const operators = isObject(value) ? Object.keys(value) : ['eq'];
  return operators.map((operator) => {
    const result = waiting.shift();
    if (result?.path !== path || result.operator !== operator) throw new Differs();
    const expected = isObject(value) ? value[operator] : value;
    if (JSON.stringify(expected) !== JSON.stringify(result.expected)) throw new Differs();
    return {kind: 'comparison', holds: result.holds, result};
  });
}

const all = (children: ConditionTree[]): ConditionTree => ({kind: 'all', holds: children.every(({holds}) => holds), children});
const any = (children: ConditionTree[]): ConditionTree => ({kind: 'any', holds: children.some(({holds}) => holds), children});
const not = (child: ConditionTree): ConditionTree => ({kind: 'not', holds: !child.holds, children: [child]});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value);
}
