import {expect, test, vi} from 'vitest';

import {queryText} from './client';
import {numeral} from './numeral';

vi.mock('./session.svelte', () => ({session: {}}));

test('A number in a query is written by its digits', () => {
  expect(queryText({PageSize: numeral(50), status: ['draft', 'ready'], late: true, after: ''})).toBe(
    'PageSize=50&status=draft&status=ready&late=true&after=',
  );
});
