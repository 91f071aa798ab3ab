/** The fields that the person has changed. The others are not sent, so that what changed elsewhere stays. */
export function changes<T extends object>(before: T, now: T): Partial<T> {
  const changed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof T]);
  return Object.fromEntries(changed) as Partial<T>;
}
