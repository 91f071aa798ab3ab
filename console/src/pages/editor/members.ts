import type {EditorTexts} from '../../texts/editor/en';
import type {DefinitionTexts} from '../../texts/definition';
import type {EntityType} from './calls';
import {isNumeral, numeral} from '../../api/numeral';
import {isObject, type Json, type JsonObject} from './json';

export type Title = keyof EditorTexts['members'];

/** How a member of a definition is shown and changed. */
export type Kind =
  | 'text'
  | 'area'
  | 'number'
  | 'flag'
  | 'recipients'
  | 'list'
  | 'pairs'
  | 'duration'
  | 'offset'
  | 'conditions'
  | 'triggers'
  | 'path'
  | 'time'
  | 'days'
  | 'template'
  | {options: readonly string[]}
  | {members: readonly Member[]};

export interface Member {
  name: string;
  kind: Kind;
  /** The name of the text; default: that of the member. */
  title?: Title;
  /** Shown only if it is set or the person asks for more. */
  minor?: boolean;
  /** An object that a person adds or takes away as a whole: its beginning. */
  begin?: JsonObject;
  /** The object needs the member, even if it is empty. */
  kept?: boolean;
  /** Takes a whole line. */
  wide?: boolean;
}

const when: Member = {name: 'when', kind: 'conditions', minor: true};
const name: Member = {name: 'name', kind: 'text', minor: true};
const common: Member[] = [when, {name: 'onFailure', kind: {options: ['stop', 'continue']}, minor: true}, name];

const statuses = {
  Order: ['draft', 'pending', 'processing', 'ready', 'shipped', 'delivered', 'cancelled'],
  Shipment: ['created', 'collected', 'in_transit', 'out_for_delivery', 'delivered', 'exception', 'returned', 'cancelled'],
};

/** The fields of `update_record`; tags and metadata follow. */
const settable: Record<EntityType, Member[]> = {
  Order: [
    {name: 'notes', kind: 'area'},
    {name: 'collectionDate', kind: 'text', minor: true},
    {name: 'carrierId', kind: 'text', minor: true},
    {name: 'serviceLevel', kind: 'text', minor: true},
  ],
  Shipment: [
    {name: 'instructions', kind: 'area'},
    {name: 'collectionDate', kind: 'text', minor: true},
    {name: 'deliveryDate', kind: 'text', minor: true},
    {name: 'carrierTrackingNumber', kind: 'text'},
    {name: 'carrierTrackingUrl', kind: 'text', minor: true},
  ],
  Customer: [
    {name: 'name', kind: 'text', title: 'personName'},
    {name: 'company', kind: 'text'},
    {name: 'email', kind: 'text'},
    {name: 'phone', kind: 'text', minor: true},
  ],
  Product: [
    {name: 'name', kind: 'text', title: 'personName'},
    {name: 'description', kind: 'area'},
    {name: 'price', kind: 'text'},
    {name: 'cost', kind: 'text', minor: true},
  ],
};

function setMembers(entityType: EntityType): Member[] {
  const tags: Member[] = [
    {name: 'add', kind: 'list'},
    {name: 'remove', kind: 'list', title: 'removeTags'},
  ];
  return [
    {name: 'tags', kind: {members: tags}},
    ...settable[entityType],
    {name: 'externalReference', kind: 'text', minor: true},
    {name: 'metadata', kind: 'pairs', minor: true},
  ];
}

const awaited: Member[] = [
  {name: 'triggers', kind: 'triggers'},
  {name: 'conditions', kind: 'conditions'},
];

/** The members of a step of this type, in the order of the form. `choose` and its ways are shown by Step.svelte. */
export function stepMembers(step: JsonObject, entityType: EntityType): Member[] {
  switch (step.type) {
    case 'webhook':
      return [
        {name: 'recipient', kind: 'text', title: 'url', kept: true, wide: true},
        {name: 'template', kind: 'area', title: 'bodyTemplate'},
        {name: 'method', kind: {options: ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']}, minor: true},
        {name: 'contentType', kind: {options: ['application/json', 'application/x-www-form-urlencoded', 'text/plain']}, minor: true},
        {name: 'headers', kind: 'pairs', minor: true},
        {name: 'answer', kind: 'pairs', minor: true},
        {name: 'secret', kind: 'text', minor: true},
        ...common,
      ];
    case 'send_email':
      return [
        {name: 'recipient', kind: 'recipients', wide: true},
        {name: 'template', kind: 'template'},
        {name: 'subject', kind: 'text', wide: true},
        {name: 'body', kind: 'area'},
        {name: 'html', kind: 'area', minor: true},
        {name: 'cc', kind: 'recipients', minor: true},
        {name: 'bcc', kind: 'recipients', minor: true},
        {name: 'replyTo', kind: 'text', minor: true},
        ...common,
      ];
    case 'send_push':
      return [
        {name: 'title', kind: 'text', wide: true},
        {name: 'body', kind: 'area'},
        {name: 'template', kind: 'template', minor: true},
        {name: 'recipient', kind: 'text', minor: true},
        {name: 'url', kind: 'text', minor: true},
        {name: 'urgency', kind: {options: ['very-low', 'low', 'normal', 'high']}, minor: true},
        {name: 'ttl', kind: 'number', minor: true},
        ...common,
      ];
    case 'update_status': {
      const of = step.recipient === 'order' ? 'Order' : step.recipient === 'shipments' ? 'Shipment' : entityType;
      const moved = of === 'Shipment' ? statuses.Shipment : statuses.Order;
      return [
        {name: 'status', kind: {options: moved}},
        {name: 'recipient', kind: {options: entityType === 'Order' ? ['shipments'] : ['order']}, title: 'target'},
        {name: 'whenAllShipments', kind: {options: statuses.Shipment}, minor: true},
        ...common,
      ];
    }
    case 'update_record':
      return [{name: 'set', kind: {members: setMembers(entityType)}, kept: true}, ...common];
    case 'create_shipment':
      return [
        {name: 'generateLabel', kind: 'flag'},
        {name: 'serviceLevel', kind: 'text', minor: true},
        {name: 'carrierId', kind: 'text', minor: true},
        {name: 'itemIds', kind: 'list', minor: true},
        ...common,
      ];
    case 'buy_label':
      return [
        {name: 'choose', kind: {options: ['cheapest', 'fastest']}},
        {name: 'maxPrice', kind: 'number'},
        {name: 'serviceLevel', kind: 'text', minor: true},
        {name: 'serviceCodes', kind: 'list', minor: true},
        {name: 'carrierIds', kind: 'list', minor: true},
        {name: 'format', kind: {options: ['pdf', 'zpl', 'png']}, minor: true},
        ...common,
      ];
    case 'void_label':
      return common;
    case 'wait':
      return [...waitMembers(waitOf(step)), name];
    case 'stop':
      return [{...when, minor: false}, name];
    case 'choose':
      return [{...when, minor: false, kept: true}, name];
    default:
      return [];
  }
}

export type Wait = 'delay' | 'until' | 'for';

export function waitOf(step: JsonObject): Wait {
  return step.for ? 'for' : step.until !== undefined && step.until !== null ? 'until' : 'delay';
}

function waitMembers(wait: Wait): Member[] {
  const workdays: Member = {name: 'workdays', kind: 'flag', minor: true};
  if (wait === 'delay') return [{name: 'delay', kind: 'duration'}, workdays];
  if (wait === 'until') return [{name: 'until', kind: 'path'}, {name: 'offset', kind: 'offset'}, workdays];
  return [{name: 'for', kind: {members: awaited}, kept: true}, {name: 'atMost', kind: 'duration'}, workdays];
}

/** The types of steps for records of a type, in the order in which they are offered. */
export function stepTypes(entityType: EntityType): (keyof DefinitionTexts['steps'])[] {
  const parcels = entityType === 'Order' || entityType === 'Shipment';
  return [
    'webhook',
    'send_email',
    'send_push',
    'update_record',
    ...(parcels ? (['update_status'] as const) : []),
    ...(entityType === 'Order' ? (['create_shipment'] as const) : []),
    ...(parcels ? (['buy_label', 'void_label'] as const) : []),
    'wait',
    'choose',
    'stop',
  ];
}

/** A new step of a type, with the members that it needs. */
export function newStep(type: string): JsonObject {
  const begun: Record<string, JsonObject> = {
    webhook: {recipient: ''},
    send_email: {recipient: '{{customer.email}}'},
    update_record: {set: {}},
    wait: {delay: 'PT1H'},
    choose: {when: {}, then: [], otherwise: []},
  };
  return {type, ...begun[type]};
}

/** The timers that records of a type have. */
export const timerFields: Record<EntityType, string[]> = {
  Order: ['createdAt', 'statusChangedAt', 'collectionDate'],
  Shipment: ['createdAt', 'statusChangedAt', 'collectionDate', 'estimatedDelivery', 'lastTraceAt'],
  Customer: ['createdAt'],
  Product: ['createdAt'],
};

export const queryMembers: Member[] = [
  {name: 'filter', kind: 'text', wide: true},
  {name: 'orderBy', kind: 'text'},
  {name: 'limit', kind: 'number'},
];

/** The members that decide when, how often and how fast runs are performed. */
export const timingMembers: Member[] = [
  {name: 'delay', kind: 'duration', title: 'workflowDelay'},
  {name: 'workdays', kind: 'flag'},
  {
    name: 'window',
    begin: {days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00'},
    kind: {
      members: [
        {name: 'days', kind: 'days'},
        {name: 'from', kind: 'time'},
        {name: 'to', kind: 'time'},
        {name: 'timezone', kind: 'text'},
        {name: 'workdays', kind: 'flag'},
      ],
    },
  },
  {
    name: 'limit',
    title: 'limitRuns',
    begin: {count: numeral(1), per: 'P1D', by: 'guid'},
    kind: {members: [{name: 'count', kind: 'number'}, {name: 'per', kind: 'duration'}, {name: 'by', kind: 'path'}]},
  },
  {name: 'rate', begin: {perSecond: numeral(5)}, kind: {members: [{name: 'perSecond', kind: 'number'}]}},
  {name: 'ordered', kind: 'flag'},
  {name: 'cancelOn', begin: {triggers: []}, kind: {members: awaited}},
  {
    name: 'digest',
    begin: {every: 'PT1H'},
    kind: {
      members: [
        {name: 'by', kind: 'path'},
        {name: 'every', kind: 'duration'},
        {name: 'quiet', kind: 'duration'},
        {name: 'atMost', kind: 'duration'},
        {name: 'max', kind: 'number'},
      ],
    },
  },
];

/** The members of a definition that the form shows, in one place or another. */
export const shownMembers = [
  'name', 'entityType', 'triggers', 'timer', 'schedule', 'query', 'each', 'runWhenEmpty', 'conditions', 'action', 'steps',
  ...timingMembers.map((member) => member.name),
];

/** True if the kind can show the value. What it cannot show stays JSON. */
export function fits(kind: Kind, value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  const texts = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (typeof kind === 'object') return 'options' in kind ? typeof value === 'string' : isObject(value);
  switch (kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      // A person has typed something else; the form says so.
      return isNumeral(value) || typeof value === 'string';
    case 'recipients':
      return texts || typeof value === 'string';
    case 'list':
    case 'days':
    case 'triggers':
      return texts;
    case 'pairs':
      return isObject(value) && Object.values(value).every((each) => !isObject(each) && !Array.isArray(each));
    case 'conditions':
      return isObject(value);
    default:
      return typeof value === 'string';
  }
}
