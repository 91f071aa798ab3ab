import {session} from '../api/session.svelte';
import type {Numeral} from '../api/numeral';
import {settings} from './settings.svelte';

// Digits go to Intl as text, so that none is lost (Intl.NumberFormat v3).
type Digits = Intl.StringNumericLiteral;

/** The person's own form of the chosen language, such as en-GB, which says how times are written. */
export function locale(): string {
  return navigator.languages.find((tag) => tag.startsWith(settings.language)) ?? settings.language;
}

export function number(value: Numeral | number): string {
  return new Intl.NumberFormat(locale(), {maximumFractionDigits: 20}).format((typeof value === 'number' ? String(value) : value.digits) as Digits);
}

export function money(value: Numeral, currency: string | null): string {
  if (!currency) return number(value);
  return new Intl.NumberFormat(locale(), {style: 'currency', currency}).format(value.digits as Digits);
}

/** A part of 1, such as 0.5 for 50 %. */
export function percent(part: Numeral): string {
  return new Intl.NumberFormat(locale(), {style: 'percent', maximumFractionDigits: 1}).format(part.digits as Digits);
}

/** The IANA name of the zone in which times are shown. */
export function zone(): string {
  if (settings.zone === 'utc') return 'UTC';
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (settings.zone === 'local') return local;
  return settings.zone === 'business' ? (session.business?.settings.timezone ?? local) : settings.zone;
}

/** A short time: of today the hour, of this year without the year. */
export function time(at: string, now = new Date()): string {
  const moment = new Date(at);
  const day = (date: Date) => date.toLocaleDateString('en-CA', {timeZone: zone()});
  const hour = {hour: '2-digit', minute: '2-digit', timeZone: zone()} as const;
  if (day(moment) === day(now)) return moment.toLocaleTimeString(locale(), hour);
  const year = day(moment).slice(0, 4) === day(now).slice(0, 4) ? {} : ({year: 'numeric'} as const);
  return moment.toLocaleString(locale(), {day: 'numeric', month: 'short', ...year, ...hour});
}

/** The whole time with seconds and zone. */
export function fullTime(at: string): string {
  return new Date(at).toLocaleString(locale(), {
    dateStyle: 'full',
    timeStyle: 'long',
    timeZone: zone(),
  });
}

/** A time with its seconds, as a time line needs it; of another day with the day. */
export function preciseTime(at: string, now = new Date()): string {
  const moment = new Date(at);
  const options = {hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: zone()} as const;
  const day = (date: Date) => date.toLocaleDateString('en-CA', {timeZone: zone()});
  if (day(moment) === day(now)) return moment.toLocaleTimeString(locale(), options);
  return moment.toLocaleString(locale(), {day: 'numeric', month: 'short', ...options});
}

/** The name of a day of the week; 0 is Monday. */
export function weekday(index: number): string {
  // 2024 began on a Monday.
  return new Date(Date.UTC(2024, 0, 1 + index)).toLocaleDateString(locale(), {weekday: 'long', timeZone: 'UTC'});
}

/** A date without a time, as YYYY-MM-DD. */
export function day(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(locale(), {dateStyle: 'full', timeZone: 'UTC'});
}
