import {expect, test} from 'vitest';

import {placeOf} from './places';

test('each changed record leads to the page that shows it', () => {
  expect(placeOf('template', 'g')).toEqual({path: 'settings/templates/g'});
  expect(placeOf('carrier', 'g')).toEqual({path: 'carriers', open: 'g'});
  expect(placeOf('integration', 'g')).toEqual({path: 'stores', open: 'g'});
  expect(placeOf('token', 'g')).toEqual({path: 'settings/tokens', open: 'g'});
  expect(placeOf('workflow', 'g')).toEqual({path: 'workflows/g'});
});

test('what has no page has no link', () => {
  expect(placeOf('console_link', 'g')).toBeNull();
  expect(placeOf('product_settings', 'g')).toBeNull();
});
