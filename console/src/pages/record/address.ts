import type {Schemas} from '../../api/client';

interface Person {
  name?: string | null;
  company?: string | null;
  phone?: string | null;
  email?: string | null;
}

/** A person with the address, a line for each part that is there. */
export function address(person: Person, at: Partial<Schemas['Address']> | null): string {
  const town = [at?.postalCode, at?.city].filter(Boolean).join(' ');
  return [person.name, person.company, at?.street, town, at?.state, at?.country, person.phone, person.email]
    .filter(Boolean)
    .join('\n');
}
