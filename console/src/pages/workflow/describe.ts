import type {Schemas} from '../../api/client';
import {isNumeral} from '../../api/numeral';
import {number} from '../../texts/format';
import {t} from '../../texts/texts.svelte';
import {isObject, type Json} from '../editor/json';

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

/** What a workflow begins with, in a few words. */
export function beginning({triggers, timer, schedule}: Beginning): string {
  if (timer) return t().workflows.timer(timer.field, offset(timer.offset));
  if (schedule) return schedule.cron;
  return triggers.includes('*') ? t().workflows.any : triggers.map(triggerName).join(', ');
}

/** The name of a trigger; its code if a newer service has it. */
export function triggerName(code: string): string {
  return (t().triggers as Record<string, string>)[code] ?? code;
}

function offset(text: string): string {
  return text.startsWith('-') ? `− ${duration(text.slice(1))}` : `+ ${duration(text)}`;
}

const units = {W: 'week', D: 'day', H: 'hour', M: 'minute', S: 'second'} as const;

/** An ISO 8601 duration of one unit in words, and any other as it is. */
export function duration(text: string): string {
  const [, amount, unit] = /^PT?(\d+)([WDHMS])$/.exec(text) ?? [];
  if (!amount || !unit) return text;
  const style = {style: 'unit', unit: units[unit as keyof typeof units], unitDisplay: 'long'} as const;
  return new Intl.NumberFormat(document.documentElement.lang, style).format(Number(amount));
}

/** A value of a condition or a record on one line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `“${value}”`;
  return isNumeral(value) ? number(value) : JSON.stringify(value);
}

export interface ConditionLine {
  text: string;
  children: ConditionLine[];
}

/** Conditions as lines; a group has those in it. */
export function conditionLines(conditions: Json): ConditionLine[] {
  if (!isObject(conditions)) return [];
  return Object.entries(conditions).flatMap(([name, value]): ConditionLine[] => {
    if (name === 'all' || name === 'any' || name === 'not') {
      const children = name === 'not' ? [value] : Array.isArray(value) ? value : [];
      return [{text: `${t().definition.groups[name]}:`, children: children.flatMap(conditionLines)}];
    }
    if (!isObject(value)) return [{text: `${name} ${t().definition.operators.eq} ${shown(value)}`, children: []}];
    return Object.entries(value).map(([operator, compared]) => {
      const known: Record<string, string> = t().definition.operators;
      return {text: `${name} ${known[operator] ?? operator} ${shown(compared)}`, children: []};
    });
  });
}

/** One step in a few words. */
export function stepLine(step: Record<string, unknown>): string {
  const types: Record<string, string> = t().definition.steps;
  const type = types[String(step.type)] ?? String(step.type);
  const detail = [step.recipient, step.status, step.delay ?? step.until ?? step.atMost, step.choose].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof detail === 'string' ? `${type}: ${/^-?P/.test(detail) ? duration(detail) : detail}` : type;
}
