const lengthOfWall = 'YYYY-MM-DDTHH:MM'.length;

/** The wall clock of a zone at a moment, as `datetime-local` has it: YYYY-MM-DDTHH:MM. */
export function wallClock(at: number, zone: string): string {
  const options = {dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23', timeZone: zone} as const;
  return new Date(at).toLocaleString('sv-SE', options).replace(' ', 'T').padStart(lengthOfWall, '0');
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

/**
 * The bounds of a list for the days of a filter (YYYY-MM-DD), which are days of the zone in which times are shown. The
 * API includes the millisecond of the end. The zone is asked for only then: that of the business is not known at first.
 * Any other text is left to the API, which refuses what is no time: without it the list would have rows that were not
 * asked for.
 */
export function bounds(from: string | null, to: string | null, zone: () => string): {from?: string; to?: string} {
  const first = from && isDay(from) ? momentOf(`${from}T00:00`, zone()) : from;
  const last = to && isDay(to) ? endOf(to, zone()) : to;
  return {...(first && {from: first}), ...(last && {to: last})};
}

export const firstDay = '1900-01-01';
export const lastDay = '9999-12-31';

const looksLikeDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** True for a day of the calendar (YYYY-MM-DD). A year before 1900 is one that is still being typed. */
export function isDay(text: string): boolean {
  if (!looksLikeDay(text) || text < firstDay) return false;
  const at = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** True for a bound of a list: a day or a moment. */
export function isBound(text: string): boolean {
  return looksLikeDay(text) ? isDay(text) : !Number.isNaN(Date.parse(text));
}

/** The day of a bound of a list for the field of the filter, also one that the calendar lacks; empty for any other text. */
export function dayOf(bound: string, zone: () => string): string {
  if (looksLikeDay(bound)) return bound;
  const at = Date.parse(bound);
  return Number.isNaN(at) ? '' : wallClock(at, zone()).slice(0, 10);
}

/** The beginning of the last 24 hours, as the API counts them: by whole hours (UTC). */
export function dayAgo(now = Date.now()): string {
  const hour = 3_600_000;
  return new Date((Math.floor(now / hour) - 24) * hour).toISOString();
}

/** The last millisecond of a day (YYYY-MM-DD) in a zone. */
export function endOf(day: string, zone: string): string {
  if (day >= lastDay) return `${lastDay}T23:59:59.999Z`;
  const next = new Date(Date.parse(`${day}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return new Date(Date.parse(momentOf(`${next}T00:00`, zone)) - 1).toISOString();
}
