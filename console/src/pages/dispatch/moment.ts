/** The wall clock of a zone at a moment, as `datetime-local` has it: YYYY-MM-DDTHH:MM. */
export function wallClock(at: number, zone: string): string {
  const options = {dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23', timeZone: zone} as const;
  return new Date(at).toLocaleString('sv-SE', options).replace(' ', 'T');
}

/**
 * The moment at which the wall clock of a zone shows a time. Of a time that comes twice, where summer time ends, it is
 * one of both; a time that does not come, where it begins, is an hour later.
 */
export function momentOf(wall: string, zone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  const offset = (at: number) => Date.parse(`${wallClock(at, zone)}Z`) - at;
  // The offset at the first guess is that of the other side of a change of the clock, if there is one between both.
  const near = asUtc - offset(asUtc);
  return new Date(asUtc - offset(near)).toISOString();
}
