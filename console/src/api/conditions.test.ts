import {expect, test} from 'vitest';

import type {Schemas} from './client';
import {conditionTree, type ConditionTree} from './conditions';

const result = (path: string, expected: unknown, holds: boolean, operator: Schemas['ConditionOperator'] = 'eq') => ({
  path,
  operator,
  expected,
  actual: null,
  holds,
});

function drawn(tree: ConditionTree): string {
  const mark = tree.holds ? '+' : '-';
  if (tree.kind === 'comparison') return mark + tree.result.path;
  return `${mark}${tree.kind}(${tree.children.map(drawn).join(' ')})`;
}

test('Results are grouped as the conditions group them', () => {
  const conditions = {all: [{total: {gte: 1, lt: 9}}, {any: [{country: 'DE'}, {country: 'AT'}]}], not: {status: 'draft'}};
  const results = [
    result('total', 1, true, 'gte'),
    result('total', 9, true, 'lt'),
    result('country', 'DE', false),
    result('country', 'AT', true),
    result('status', 'draft', true),
  ];
  const {tree, isWhole} = conditionTree(conditions, results);
  expect(isWhole).toBe(true);
  expect(drawn(tree)).toBe('-all(+all(+all(+total +total) +any(-country +country)) -not(+status))');
});

test.each([
  ['has another value', {country: 'FR'}],
  ['has another operator', {country: {ne: 'DE'}}],
  ['has more comparisons', {country: 'DE', status: 'draft'}],
  ['has fewer comparisons', {}],
  ['is missing', null],
])('Results are listed as they are if the definition %s', (_, conditions) => {
  const {tree, isWhole} = conditionTree(conditions, [result('country', 'DE', true)]);
  expect(isWhole).toBe(false);
  expect(drawn(tree)).toBe('+all(+country)');
});
