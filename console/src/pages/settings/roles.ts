import type {Schemas} from '../../api/client';

export type Role = Schemas['User']['role'];

/** The roles that a role may give: an admin all but the owner's, an owner all, others none. */
export function rolesToGive(own: Role | null): Role[] {
  if (own === 'owner') return ['viewer', 'operator', 'admin', 'owner'];
  return own === 'admin' ? ['viewer', 'operator', 'admin'] : [];
}
