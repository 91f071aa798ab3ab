import {expect, test} from 'vitest';

import {rolesToGive} from './roles';

test('Only an owner gives the role of an owner, and only admins give roles', () => {
  expect(rolesToGive('owner')).toContain('owner');
  expect(rolesToGive('admin')).toEqual(['viewer', 'operator', 'admin']);
  expect(rolesToGive('operator')).toEqual([]);
  expect(rolesToGive('viewer')).toEqual([]);
  expect(rolesToGive(null)).toEqual([]);
});
