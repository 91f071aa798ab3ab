import {expect, test} from 'vitest';

import {looksSame} from './names';

test.each([
  ['two spaces', 'Anna  Berg', 'Anna Berg'],
  ['a no-break space', 'Anna\u00a0Berg', 'Anna Berg'],
  ['a line break', 'Anna\nBerg', 'Anna Berg'],
  ['spaces around it', ' Anna Berg\u2003', 'Anna Berg'],
  ['a decomposed letter', 'Rene\u0301', 'Ren\u00e9'],
  ['a zero-width space', 'Anna\u200bBerg', 'AnnaBerg'],
  ['a zero-width joiner within a letter', 'Rene\u200d\u0301', 'Ren\u00e9'],
  ['a change of direction', '\u202eAnna', 'Anna'],
  ['a soft hyphen', 'Anna\u00adberg', 'Annaberg'],
])('A name with %s is entered as it is shown', (_, name, entered) => {
  expect(looksSame(entered, name)).toBe(true);
});

test.each(['', 'Anna', 'AnnaBerg', 'anna berg', 'Anna Bergé'])('Another name is not the same: “%s”', (entered) => {
  expect(looksSame(entered, 'Anna Berg')).toBe(false);
});
