import {expect, test} from 'vitest';

import {difference} from './difference';

const shown = (before: string, after: string) => difference(before, after).map(({sign, text}) => sign + text);

test('Only the lines that differ have a sign', () => {
  expect(shown('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(shown('a', 'a')).toEqual([' a']);
});
