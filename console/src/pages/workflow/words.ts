import {d} from '../../texts/definition';
import {locale, weekday} from '../../texts/format';

const units = ['week', 'day', 'hour', 'minute', 'second'] as const;
const pattern = /^([+-]?)P(?!$)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

interface Duration {
  isNegative: boolean;
  /** The amount of each of `units`. */
  amounts: number[];
}

function parsed(text: string): Duration | null {
  const [, sign, ...amounts] = pattern.exec(text) ?? [];
  return sign === undefined ? null : {isNegative: sign === '-', amounts: units.map((_, index) => Number(amounts[index] ?? 0))};
}

function written({amounts}: Duration): string {
  const amountOf = (unit: (typeof units)[number], amount: number) =>
    new Intl.NumberFormat(locale(), {style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 6}).format(amount);
  const parts = units.flatMap((unit, index) => (amounts[index] ? [amountOf(unit, amounts[index])] : []));
  if (!parts.length) return amountOf('second', 0);
  return new Intl.ListFormat(locale(), {type: 'unit', style: 'long'}).format(parts);
}

const inDays = ({amounts: [weeks = 0, days = 0]}: Duration) => String(weeks * 7 + days);

/** An ISO 8601 duration in words, without its sign; any other text as it is. Working days are counted as such. */
export function duration(text: string, isWorkdays = false): string {
  const value = parsed(text);
  if (!value) return text;
  return isWorkdays ? d().workdays(inDays(value)) : written(value);
}

/** A time that is an ISO 8601 duration before or after a field. */
export function apart(field: string, offset: string | null, isWorkdays = false): string {
  const value = parsed(offset ?? 'PT0S');
  if (!value) return `${field} ${offset ?? ''}`;
  if (value.amounts.every((amount) => amount === 0)) return d().at(field);
  const time = duration(offset ?? '', isWorkdays);
  return value.isNegative ? d().before(time, field) : d().after(time, field);
}

/** A time of any day. */
function clock(hour: number, minute: number): string {
  const options = {hour: '2-digit', minute: '2-digit', timeZone: 'UTC'} as const;
  return new Date(Date.UTC(2024, 0, 1, hour, minute)).toLocaleTimeString(locale(), options);
}

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The whole numbers of a list of at most `most`; null for any other text, such as a range or a step. */
function numbers(field: string, limit: number, most = 4): number[] | null {
  const list = field.split(',');
  if (list.length > most || !list.every((each) => /^\d{1,2}$/.test(each) && Number(each) <= limit)) return null;
  return list.map(Number);
}

const listed = (texts: string[]) => new Intl.ListFormat(locale(), {type: 'conjunction'}).format(texts);

/** A step such as the 15 of every 15 minutes, if it divides the whole, so that the steps are equally long. */
function stepOf(field: string, whole: number): string | null {
  const [, step] = /^\*\/(\d{1,2})$/.exec(field) ?? [];
  return step && Number(step) > 1 && whole % Number(step) === 0 ? String(Number(step)) : null;
}

/** The index of a day of the week, 0 is Monday; undefined if it is none. */
function dayIndex(text: string): number | undefined {
  const index = /^[0-7]$/.test(text) ? Number(text) : days.indexOf(text.toLowerCase());
  return index < 0 ? undefined : (index + 6) % 7;
}

function weekly(field: string, times: string): string | null {
  const range = field.split('-').map(dayIndex);
  const [first, last] = range;
  if (range.length === 2 && first !== undefined && last !== undefined && first < last)
    return first === 0 && last === 6 ? d().cron.daily(times) : d().cron.range(weekday(first), weekday(last), times);
  const found = field.split(',').map(dayIndex);
  if (found.some((each) => each === undefined)) return null;
  return d().cron.weekly(listed(found.map((each) => weekday(each ?? 0))), times);
}

/** A cron expression of a common form in words; null for any other. */
export function cron(text: string): string | null {
  const fields = text.trim().split(/\s+/);
  const [minute = '', hour = '', date = '', month = '', day = ''] = fields;
  if (fields.length !== 5 || month !== '*') return null;
  const isDaily = date === '*' && day === '*';
  const minutes = numbers(minute, 59, 1);
  if (hour === '*' && isDaily) {
    if (minute === '*') return d().cron.minute;
    const step = stepOf(minute, 60);
    if (step) return d().cron.minutes(step);
    if (!minutes) return null;
    return minutes[0] === 0 ? d().cron.hour : d().cron.hourAt(String(minutes[0]));
  }
  const every = stepOf(hour, 24);
  if (every && minute === '0' && isDaily) return d().cron.hours(every);
  const hours = numbers(hour, 23);
  if (!minutes || !hours) return null;
  const times = listed(hours.map((each) => clock(each, minutes[0] ?? 0)));
  if (isDaily) return d().cron.daily(times);
  if (date === '*') return weekly(day, times);
  const dates = day === '*' && !date.split(',').includes('0') ? numbers(date, 31) : null;
  return dates && d().cron.monthly(listed(dates.map(String)), times);
}
