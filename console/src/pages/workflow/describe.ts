import type {Schemas} from '../../api/client';
import {shown} from '../../parts/shown';
import {d} from '../../texts/definition';
import {locale} from '../../texts/format';
import {t} from '../../texts/texts.svelte';
import {isObject, type Json, type JsonObject} from '../editor/json';
import {apart, cron, duration} from './words';

type Entry = Schemas['WorkflowOverviewEntry'];
type Beginning = Pick<Entry, 'triggers' | 'timer' | 'schedule'>;

/** The state of a workflow for people: silent is an active one that fires much less than usual. */
export function stateOf(entry: Pick<Entry, 'status' | 'silentSince'>): 'active' | 'disabled' | 'paused' | 'silent' {
  return entry.status === 'active' && entry.silentSince ? 'silent' : entry.status;
}

/** The firings of the last 24 hours. */
export function fired(entry: Pick<Entry, 'perHour'>): number {
  return entry.perHour.reduce((sum, count) => sum + count.value, 0);
}

/** What a workflow begins with, in a few words. `isCode` is true for a schedule that only its expression says. */
export function beginning({triggers, timer, schedule}: Beginning): {text: string; isCode: boolean} {
  const plain = (text: string) => ({text, isCode: false});
  if (timer) return plain(apart(timer.field, timer.offset, timer.workdays === true));
  if (!schedule) return plain(triggers.includes('*') ? t().workflows.any : triggers.map(triggerName).join(', '));
  const words = cron(schedule.cron);
  const zone = schedule.timezone ? ` (${schedule.timezone})` : '';
  return {text: (words ?? schedule.cron) + zone, isCode: words === null};
}

/** The name of a trigger; its code if a newer service has it. */
export function triggerName(code: string): string {
  return (t().triggers as Record<string, string>)[code] ?? code;
}

/** Why the service has paused a workflow, in the language of the person; null for a reason that is not known here. */
export function pauseText(reason: string): string | null {
  const {pauses} = d();
  if (reason === 'The destination answered 410 Gone.') return pauses.gone;
  if (reason === 'every run failed for 5 days') return pauses.failing;
  if (reason === 'the destination asked for it') return pauses.destination;
  const [, times] = /^the query of its schedule took too long (\d+) times in a row$/.exec(reason) ?? [];
  if (times) return pauses.slow(times);
  const blast = /^it fired (\d+) times within a minute, more than (\d+) times its rate of the last 7 days$/.exec(reason);
  return blast ? pauses.blast(blast[1] ?? '', blast[2] ?? '') : null;
}

export interface ConditionLine {
  text: string;
  children: ConditionLine[];
}

/** One comparison of a field, in words. */
function comparison(field: string, operator: string, compared: Json): string {
  const {absent, operators} = d();
  if (operator === 'exists' || operator === 'changed') {
    if (compared === true) return `${field} ${operators[operator]}`;
    if (compared === false) return `${field} ${absent[operator]}`;
  }
  return `${field} ${(operators as Record<string, string>)[operator] ?? operator} ${shown(compared)}`;
}

const comparisons = (field: string, value: Json): string[] =>
  isObject(value)
    ? Object.entries(value).map(([operator, compared]) => comparison(field, operator, compared))
    : [comparison(field, 'eq', value)];

/** Conditions as lines; a group has those in it. */
export function conditionLines(conditions: Json): ConditionLine[] {
  if (!isObject(conditions)) return [];
  return Object.entries(conditions).flatMap(([name, value]): ConditionLine[] => {
    if (name === 'all' || name === 'any' || name === 'not') {
      const children = name === 'not' ? [value] : Array.isArray(value) ? value : [];
      return [{text: `${d().groups[name]}:`, children: children.flatMap(conditionLines)}];
    }
    return comparisons(name, value).map((text) => ({text, children: []}));
  });
}

/** Conditions on one line; empty if there are none. */
export function conditionText(conditions: Json | undefined): string {
  return isObject(conditions) ? d().and(members(conditions)) : '';
}

function members(conditions: JsonObject): string[] {
  return Object.entries(conditions).flatMap(([name, value]) => {
    if (name === 'not') return isObject(value) ? [d().not(grouped([conditionText(value)], true))] : [];
    if (name !== 'all' && name !== 'any') return comparisons(name, value);
    const texts = (Array.isArray(value) ? value : []).filter(isObject).map((each) => {
      const inner = members(each);
      return grouped(inner, inner.length > 1);
    });
    if (!texts.length) return [];
    return name === 'all' ? [d().and(texts)] : [texts.length > 1 ? `(${d().or(texts)})` : d().or(texts)];
  });
}

const grouped = (texts: string[], isApart: boolean) => (isApart ? `(${d().and(texts)})` : d().and(texts));

/** What a wait for an event waits for, such as “for Parcel delivered”. */
export function awaited(event: Json | undefined): string {
  if (!isObject(event)) return '';
  const triggers = Array.isArray(event.triggers) ? event.triggers.map(String) : [];
  const conditions = conditionText(event.conditions);
  if (!triggers.length) return conditions && d().forConditions(conditions);
  const names = triggers.map((each) => (each === '*' ? t().workflows.any : triggerName(each)));
  const list = new Intl.ListFormat(locale(), {type: 'disjunction'}).format(names.map((each) => d().quoted(each)));
  return [d().for(list), conditions && d().when(conditions)].filter(Boolean).join(', ');
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function waitParts(step: JsonObject): string[] {
  const isWorkdays = step.workdays === true;
  if (step.for) return [awaited(step.for), step.atMost ? d().atMost(duration(text(step.atMost), isWorkdays)) : ''];
  if (step.until) {
    const {until, offset} = step;
    return [d().until(offset ? apart(text(until), text(offset), isWorkdays) : text(until))];
  }
  return [duration(text(step.delay), isWorkdays)];
}

const longest = 80;
const short = (value: string) => (value.length > longest ? `${value.slice(0, longest - 1)}…` : value);

/** The fields that a step sets, with their values. */
function setParts(fields: Json | undefined): string[] {
  if (!isObject(fields)) return [];
  return Object.entries(fields).flatMap(([name, value]): string[] => {
    if (name === 'tags' && isObject(value)) {
      const signed = (list: Json | undefined, sign: string) => (Array.isArray(list) ? list.map((each) => `${sign}${shown(each)}`) : []);
      return [[name, ...signed(value.add, '+'), ...signed(value.remove, '−')].join(' ')];
    }
    if (name === 'metadata' && isObject(value))
      return setParts(Object.fromEntries(Object.entries(value).map(([each, to]) => [`metadata.${each}`, to])));
    return [value === null ? d().emptied(name) : short(`${name} = ${shown(value)}`)];
  });
}

function statusName(status: Json | undefined): string {
  const names: Record<string, string> = {...t().orders.statuses, ...t().shipments.statuses};
  return names[text(status)] ?? text(status);
}

function ownParts(step: JsonObject): string[] {
  const {of, choices, whenAll, withLabel, atMost} = d();
  switch (step.type) {
    case 'wait':
      return waitParts(step);
    case 'update_record':
      return setParts(step.set);
    case 'update_status': {
      const target = (of as Record<string, string>)[text(step.recipient)] ?? '';
      return [[statusName(step.status), target].filter(Boolean).join(' '), step.whenAllShipments ? whenAll(statusName(step.whenAllShipments)) : ''];
    }
    case 'create_shipment':
      return [step.generateLabel === true ? withLabel : '', text(step.serviceLevel)];
    case 'buy_label': {
      const most = step.maxPrice;
      return [(choices as Record<string, string>)[text(step.choose)] ?? '', most ? atMost(shown(most)) : '', text(step.serviceLevel)];
    }
    case 'choose':
      return [step.when ? d().when(conditionText(step.when)) : ''];
    default: {
      const to = Array.isArray(step.recipient) ? step.recipient.map(text).join(', ') : text(step.recipient);
      const about = text(step.subject) || text(step.title);
      return [to, about && short(d().quoted(about)), step.type === 'webhook' ? '' : text(step.template)];
    }
  }
}

/** A step in a few words without its type; empty if the type says all. */
export function stepDetail(step: JsonObject): string {
  const when = step.type === 'choose' ? '' : conditionText(step.when);
  const parts = [...ownParts(step), when && d().onlyWhen(when), step.onFailure === 'continue' ? d().anyway : ''];
  return parts.filter(Boolean).join(', ');
}

/** One step in a few words. */
export function stepLine(step: JsonObject): string {
  const types: Record<string, string> = d().steps;
  const type = types[String(step.type)] ?? String(step.type);
  const detail = stepDetail(step);
  return detail ? `${type}: ${detail}` : type;
}
