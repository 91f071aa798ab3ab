import {canonical, having, isObject, without, type Json, type JsonObject} from './json';

/** What a workflow has besides its definition, and what follows from it. */
const notEdited = [
  'guid', 'trigger', 'triggerId', 'isActive', 'isManaged', 'status', 'pausedReason', 'problem', 'version', 'createdAt',
  'updatedAt',
];

/** The values that a new workflow has without naming them. */
const defaults: JsonObject = {conditions: {}, ordered: false, workdays: false, each: false, runWhenEmpty: false, triggers: []};

/** The values that a step has without naming them. */
const stepDefaults: JsonObject = {onFailure: 'stop', method: 'POST', contentType: 'application/json', headers: {}};

/** The members of a workflow or a version that a person edits, without those that say nothing. */
export function editable(workflow: JsonObject): JsonObject {
  const edited = spoken(without(workflow, notEdited), defaults);
  if (isObject(edited.action)) edited.action = spoken(edited.action, stepDefaults);
  if (Array.isArray(edited.steps)) edited.steps = edited.steps.map(editableStep);
  return edited;
}

function editableStep(step: Json): Json {
  if (!isObject(step)) return step;
  const edited = spoken(step, stepDefaults);
  for (const way of ['then', 'otherwise'] as const) {
    const steps = edited[way];
    if (Array.isArray(steps)) edited[way] = steps.map(editableStep);
  }
  return edited;
}

/** `value` without its members that are null or have their default. */
function spoken(value: JsonObject, defaults: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name, each]) => each !== null && canonical(each) !== canonical(defaults[name])),
  );
}

/** The members of `now` that differ from `before`; one that was taken away is null, or its default. */
export function changes(before: JsonObject, now: JsonObject): JsonObject {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const result: JsonObject = {};
  for (const name of names) {
    if (canonical(before[name]) === canonical(now[name])) continue;
    // Triggers end with null, like a timer and a schedule; the flags of the workflow itself have no null.
    result[name] = now[name] ?? (name === 'ordered' ? false : null);
  }
  return result;
}

/** `theirs` with what a person changed since `before`. */
export function rebased(before: JsonObject, now: JsonObject, theirs: JsonObject): JsonObject {
  let result = theirs;
  for (const name of Object.keys(changes(before, now))) {
    result = having(result, name, now[name]);
  }
  return result;
}

/** The members that both changed since `before`, in different ways. */
export function conflicts(before: JsonObject, now: JsonObject, theirs: JsonObject): string[] {
  const other = changes(before, theirs);
  return Object.keys(changes(before, now)).filter(
    (name) => name in other && canonical(now[name]) !== canonical(theirs[name]),
  );
}

/** The steps of a definition, also of one with a single action. */
export function stepsOf(definition: JsonObject): JsonObject[] {
  if (Array.isArray(definition.steps)) return definition.steps.filter(isObject);
  return isObject(definition.action) ? [definition.action] : [];
}

/** Steps are an action again where the definition had one and a single action can do it. */
export function withSteps(definition: JsonObject, steps: JsonObject[]): JsonObject {
  const {action, steps: before, ...others} = definition;
  const [only] = steps;
  const single = only && steps.length === 1 && before === undefined && isAction(only);
  if (single) return {...others, action: only};
  if (!steps.length && (action !== undefined || before !== undefined)) return others;
  return {...others, steps};
}

function isAction(step: JsonObject): boolean {
  const flow: Json[] = ['wait', 'choose', 'stop'];
  return !flow.includes(step.type ?? null) && !['when', 'onFailure', 'name', 'answer'].some((name) => step[name]);
}
