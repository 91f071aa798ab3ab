import {expect, test} from 'vitest';

import {changes} from './changes';

test('only what the person changed is sent', () => {
  expect(changes({name: 'Ada', status: 'available'}, {name: 'Ada L.', status: 'available'})).toEqual({name: 'Ada L.'});
});
