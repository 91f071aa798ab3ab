import type {Field} from './conditions';
import {isObject, type Json, type JsonObject} from './json';

/** The steps of a way, or none. */
export function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The numbers that a step takes: its own, and those of its ways. */
export function sizeOf(step: JsonObject): number {
  return [...listOf(step.then), ...listOf(step.otherwise)].reduce((sum, each) => sum + sizeOf(each), 1);
}

export type SendingType = 'webhook' | 'send_email' | 'send_push';

/** The steps that send something, which can be tried, by the numbers that they have in the order of the text. */
export function sendingSteps(steps: JsonObject[], before = 0): {number: number; type: SendingType}[] {
  let number = before;
  return steps.flatMap((step) => {
    const own = ++number;
    const inner = sendingSteps([...listOf(step.then), ...listOf(step.otherwise)], own);
    number = own + sizeOf(step) - 1;
    const {type} = step;
    return type === 'webhook' || type === 'send_email' || type === 'send_push' ? [{number: own, type}, ...inner] : inner;
  });
}

const stepValues: Record<string, string[]> = {
  create_shipment: ['shipmentId', 'trackingNumber'],
  buy_label: ['labelStatus', 'price', 'currency', 'carrier', 'serviceLevel', 'serviceCode', 'carrierTrackingNumber'],
  void_label: ['labelStatus', 'price', 'currency', 'carrier', 'serviceLevel', 'serviceCode', 'carrierTrackingNumber'],
};

/** The values that a step has for later ones, if it has a name. */
export function valuesOf(step: JsonObject): Field[] {
  const inner = [...listOf(step.then), ...listOf(step.otherwise)].flatMap(valuesOf);
  const name = step.name;
  if (typeof name !== 'string' || !name || typeof step.type !== 'string') return inner;
  const answer = isObject(step.answer) ? step.answer : {};
  return [
    field(`steps.${name}.status`, 'string', ['succeeded', 'skipped', 'dead']),
    ...Object.entries(answer).map(([path, type]) => field(`steps.${name}.answer.${path}`, typeOf(type))),
    ...(stepValues[step.type] ?? []).map((each) => field(`steps.${name}.${each}`, each === 'price' ? 'number' : 'string')),
    ...(step.type === 'wait' && step.for ? [field(`steps.${name}.timedOut`, 'boolean')] : []),
    ...inner,
  ];
}

function typeOf(declared: Json): Field['type'] {
  const type = typeof declared === 'string' ? declared.replace('?', '') : 'any';
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'timestamp' ? type : 'any';
}

function field(path: string, type: Field['type'], values: string[] | null = null): Field {
  const ordered: Field['operators'] = type === 'boolean' ? [] : ['gt', 'gte', 'lt', 'lte'];
  const text: Field['operators'] = type === 'string' || type === 'any' ? ['contains', 'startsWith', 'endsWith'] : [];
  const operators: Field['operators'] = ['eq', 'ne', ...ordered, 'in', 'nin', ...text, 'exists'];
  return {path, type, values, nullable: true, array: false, previous: false, example: null, operators};
}

/** A value that a trial is told: of the answer that a step gets, or that the time of a wait runs out. */
export interface Assumption {
  step: string;
  /** The path in the answer; null for a wait. */
  path: string | null;
  type: Field['type'];
}

/** What a trial of the steps can be told, in their order. */
export function assumptionsOf(steps: JsonObject[]): Assumption[] {
  return steps.flatMap((step): Assumption[] => {
    const inner = assumptionsOf([...listOf(step.then), ...listOf(step.otherwise)]);
    const name = step.name;
    if (typeof name !== 'string' || !name) return inner;
    if (step.type === 'wait' && step.for) return [{step: name, path: null, type: 'boolean'}, ...inner];
    const answer = isObject(step.answer) ? step.answer : {};
    const paths = Object.entries(answer).map(([path, type]) => ({step: name, path, type: typeOf(type)}));
    return [...paths, ...inner];
  });
}
