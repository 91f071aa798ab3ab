import {expect, test} from 'vitest';

import {readJson} from '../../api/numeral';
import {comparison, fieldOf, holds, parseConditions, writeConditions, type Field, type Group} from './conditions';
import type {Json} from './json';

const written = (text: string) => {
  const group = parseConditions(readJson(text) as Json);
  return group && JSON.stringify(writeConditions(group));
};

test.each([
  '{}',
  '{"status":"delivered","totalValue":{"gte":100,"lt":500}}',
  '{"any":[{"totalValue":{"gte":200}},{"tags":"gift","status":null}],"not":{"deliveryAddress.city":"Lyon"}}',
  '{"all":[{"status":"ready"},{"status":{"changed":true}}]}',
  '{"not":{"any":[{"not":{"a":true}},{"b":{"in":["x",1,null]}}]}}',
])('Conditions that are read and written stay as they are: %s', (text) => {
  expect(written(text)).toBe(text);
});

test('Two comparisons of one path that are rows of their own stay apart', () => {
  const row = (value: string) => ({kind: 'row' as const, path: 'items.sku', tests: [{operator: 'eq', value}]});
  const group: Group = {kind: 'all', children: [row('A'), row('B')]};
  expect(writeConditions(group)).toEqual({'items.sku': 'A', all: [{'items.sku': 'B'}]});
});

test('A row without a value yet, and a group without a row, are no conditions', () => {
  const pending = {kind: 'row' as const, path: 'status', tests: [{operator: 'eq', value: null, pending: true}]};
  expect(writeConditions({kind: 'all', children: [pending, {kind: 'not', children: [pending]}]})).toEqual({});
});

test('What the form cannot show is not read', () => {
  expect(parseConditions({all: 'x'})).toBeNull();
  expect(parseConditions({status: ['a']})).toBeNull();
});

test('A key of metadata and a value before the event have the operators of their field', () => {
  const field = (path: string) => ({path}) as Field;
  const fields = [field('status'), field('metadata.*')];
  expect(fieldOf(fields, 'metadata.erp.id')?.path).toBe('metadata.*');
  expect(fieldOf(fields, 'previous.status')?.path).toBe('status');
  expect(fieldOf(fields, 'metadat')).toBeUndefined();
});

test('A group holds by its kind, and is not known while a comparison that decides is not', () => {
  const known: Record<string, boolean> = {[comparison('a', 'eq', 'x')]: true, [comparison('b', 'eq', 'x')]: false};
  const outcome = (text: string) => holds(parseConditions(readJson(text) as Json) as Group, (key) => known[key], []);
  expect(outcome('{"any":[{"a":"x"},{"c":"x"}]}')).toBe(true);
  expect(outcome('{"any":[{"b":"x"},{"c":"x"}]}')).toBeUndefined();
  expect(outcome('{"not":{"a":"x","b":"x"}}')).toBe(true);
  expect(outcome('{"a":"x","not":{"any":[{"b":"x"}]}}')).toBe(true);
  expect(outcome('{"items.price":{"gt":"1","lt":"2"}}')).toBeUndefined();
});
