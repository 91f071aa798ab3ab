import {expect, test} from 'vitest';

import {numeral} from '../../api/numeral';
import {fits} from './members';

test('A field of a number stays in the form while something else is typed', () => {
  expect(fits('number', numeral(5))).toBe(true);
  expect(fits('number', '12 kg')).toBe(true);
  expect(fits('number', true)).toBe(false);
});
