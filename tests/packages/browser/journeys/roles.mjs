// The matrix of roles and operations, made from the OpenAPI document: for each role, no page reads what the role may not
// read, no button in a page or its dialogs sends what the role may not send, and the API refuses each such operation
// when it is forced. Forms get input before they are sent, made from the schemas of the document; what a button shows is
// used as well. One change of each kind of `allowed` that a page of the role sends is made, so that what is offered
// succeeds; every other change that a button sends is answered here.
// Usage: node roles.mjs VIEWER OPERATOR ADMIN OWNER PATH... ; the first four are one-time links of these roles, PATH is
// a path below /console/. Exits with 1 and the faults if there are any.
import {settled, show} from '../browser.mjs';
import {call, launch, quiet, signedIn, step} from './journey.mjs';

const roles = ['viewer', 'operator', 'admin', 'owner'];
const links = process.argv.slice(2, 6);
const paths = process.argv.slice(6);
if (paths.length === 0) throw new Error('usage: node roles.mjs VIEWER OPERATOR ADMIN OWNER PATH...');
const root = new URL('/console/', links[0]).href;
const faults = [];

/** The document as {operations, samples}. Each operation is {method, path, pattern, permission, body}; those with fewer
 * parameters come first. `body` is the document's example of a body. */
async function readDocument(page) {
  const document = (await call(page, 'GET', '/openapi.json')).body;
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  const operations = Object.entries(document.paths).flatMap(([path, entry]) =>
    methods.filter((method) => entry[method]).map((method) => ({
      method: method.toUpperCase(),
      path,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      permission: entry[method]['x-permission'],
      body: entry[method].requestBody?.content['application/json']?.example ?? {},
    })),
  );
  operations.sort((one, other) => one.path.split('{').length - other.path.split('{').length);
  return {operations, samples: samplesOf(document, operations)};
}

/** A value for each type of an input, and for each field (`byField`), from the formats and examples of all bodies. */
function samplesOf(document, operations) {
  const values = new Map();
  const formats = new Map();
  const byField = {};
  const learn = (example, path = '') => {
    if (Array.isArray(example)) return example.forEach((each) => learn(each, path));
    if (typeof example !== 'object') return void (byField[path] ??= String(example));
    for (const [name, value] of Object.entries(example ?? {})) {
      learn(value, path ? `${path}.${name}` : name);
      if (typeof value !== 'object' && !values.has(name)) values.set(name, value);
    }
  };
  for (const {body} of operations) learn(body);
  for (const {properties} of Object.values(document.components.schemas))
    for (const [name, {format}] of Object.entries(properties ?? {})) if (format && values.has(name)) formats.set(format, values.get(name));
  const moment = String(formats.get('date-time'));
  return {
    byField,
    email: formats.get('email'),
    url: formats.get('uri') ?? 'https://example.com/hook',
    date: moment.slice(0, 10),
    'datetime-local': moment.slice(0, 16),
    number: '1',
    color: '#336699',
    tel: String(values.get('phone')),
    text: String(values.get('name')),
  };
}

/** The changes that each role makes by the forms of its pages. They make records of their own, or can be repeated. */
const ofOperator = ['POST /api/drivers', 'POST /api/vehicle'];
const ofAdmin = [
  ...ofOperator,
  'POST /api/carriers',
  'POST /api/business/users',
  'POST /api/business/tokens',
  'POST /api/workflows/templates',
  'PUT /api/business',
  'PUT /api/business/alerts',
];
const allowed = {viewer: [], operator: ofOperator, admin: ofAdmin, owner: ofAdmin};

/** True for an operation that needs a higher role. */
const exceeds = (operation, role) => roles.indexOf(operation.permission) > roles.indexOf(role);

/**
 * Records each call of the page as an operation. Lets those of `allowed` through until one of each has succeeded, and
 * answers all other changes itself, in the page. Returns the set of operations, and the answers of those that were let
 * through. Called before the page is loaded.
 */
async function watch(page, role, operations) {
  const sent = new Set();
  const answers = new Map();
  const underWay = new Set();
  const operationOf = (method, url) => {
    const {pathname} = new URL(url, root);
    if (!pathname.startsWith('/api/')) return undefined;
    const operation = operations.find((each) => each.method === method && each.pattern.test(pathname));
    if (!operation) faults.push(`${role}: ${method} ${pathname} is in no document`);
    else if (exceeds(operation, role)) faults.push(`${role}: ${page.url()} offers ${operation.method} ${operation.path}`);
    if (operation) sent.add(operation);
    return operation;
  };
  page.on('request', (request) => {
    const operation = operationOf(request.method(), request.url());
    if (operation && operation.method !== 'GET' && !underWay.has(operation.path))
      faults.push(`${role}: ${operation.method} ${operation.path} is sent past fetch`);
  });
  await page.exposeFunction('isSent', (method, url) => {
    const operation = operationOf(method, url);
    const name = operation && `${operation.method} ${operation.path}`;
    if (!allowed[role].includes(name) || answers.get(name)?.ok) return false;
    underWay.add(operation.path);
    return true;
  });
  await page.exposeFunction('answered', (method, url, ok, text) => {
    const operation = operationOf(method, url);
    answers.set(`${operation.method} ${operation.path}`, {ok, text});
  });
  await page.addInitScript(() => {
    const send = window.fetch;
    window.fetch = async (...call) => {
      const request = new Request(...call);
      if (request.method === 'GET' || !new URL(request.url).pathname.startsWith('/api/')) return send(request);
      if (await window.isSent(request.method, request.url)) {
        const answer = await send(request);
        const text = `${answer.status} ${await answer.clone().text()}`;
        await window.answered(request.method, request.url, answer.ok, text);
        return answer;
      }
      const error = {code: 'CONFLICT', message: 'not sent', details: {}};
      return Response.json({success: false, error}, {status: 409});
    };
  });
  return {sent, answers};
}

/** Samples whose names and addresses are those of a role, so that the roles make different records. */
function ofRole({byField, ...samples}, role) {
  const own = Object.fromEntries(['name', 'code', 'licensePlate'].map((field) => [field, `${byField[field]}-${role}`]));
  const email = `${role}-${samples.email}`;
  return {...samples, email, text: `${samples.text}-${role}`, byField: {...byField, ...own, email, emails: email}};
}

/** Gives each empty control a value, and marks each box, but those that choose rows of a list. */
async function fill(page, samples) {
  await page.evaluate((samples) => {
    const scope = document.querySelector('dialog:modal') ?? document;
    for (const form of scope.querySelectorAll('form')) form.noValidate = true;
    const controls = scope.querySelectorAll('main :is(input, select, textarea), dialog :is(input, select, textarea)');
    for (const control of scope === document ? controls : scope.querySelectorAll('input, select, textarea')) {
      if (control.disabled || control.closest('table, fieldset:disabled, [role=search]') || !control.checkVisibility()) continue;
      const {type} = control;
      if (type === 'checkbox') {
        if (!control.checked) control.click();
      } else if (control instanceof HTMLSelectElement) {
        const offer = [...control.options].find((option) => option.value !== '');
        if (control.value !== '' || !offer || !control.closest('form')) continue;
        control.value = offer.value;
      } else if (!control.value && !['search', 'file', 'radio'].includes(type)) {
        const byType = (control.inputMode === 'numeric' || control.inputMode === 'decimal' ? samples.number : samples[type]) ?? samples.text;
        const ofField = samples.byField[control.name];
        control.value = ofField?.slice(0, {date: 10, 'datetime-local': 16}[type]) ?? byType;
      } else {
        continue;
      }
      control.dispatchEvent(new Event('input', {bubbles: true}));
      control.dispatchEvent(new Event('change', {bubbles: true}));
    }
  }, samples);
  await settled(page);
}

/** Sends the form of the modal dialog with input, then closes the dialog. */
async function confirm(page, samples) {
  if (!(await page.evaluate(() => document.querySelector('dialog:modal') !== null))) return;
  await fill(page, samples);
  await page.evaluate(() => [...document.querySelectorAll('dialog:modal')].at(-1)?.querySelector('button[type=submit]:enabled')?.click());
  await settled(page);
  await page.keyboard.press('Escape');
}

/**
 * The names of the buttons that a person can use, in the modal dialog if there is one; the second one of a name is another
 * button. Clicks the one with the name `press`, if it is there, before it returns.
 */
function buttons(page, press = null) {
  return page.evaluate((press) => {
    const modal = [...document.querySelectorAll('dialog:modal')].at(-1);
    const all = modal ? modal.querySelectorAll('button:enabled') : document.querySelectorAll('main button:enabled, dialog button:enabled');
    const seen = new Map();
    const names = new Map();
    for (const button of all) {
      if (!button.checkVisibility({visibilityProperty: true})) continue;
      const text = button.getAttribute('aria-label') ?? button.textContent.trim();
      seen.set(text, (seen.get(text) ?? 0) + 1);
      names.set(`${text} ${seen.get(text)}`, button);
    }
    const found = names.get(press);
    found?.focus();
    found?.click();
    return {names: [...names.keys()], isPressed: found !== undefined};
  }, press);
}

/** Opens a page and uses each of its buttons once, with input in its forms, and each button that one of them shows. Then
 * it makes another choice in each list outside of forms. */
async function use(page, path, samples) {
  const press = async (name) => {
    const {isPressed} = await buttons(page, name);
    if (isPressed) await settled(page);
    return isPressed;
  };
  const open = async (trail) => {
    // A place without a page lies between, so that the page is a new one.
    await show(page, `${root}none`);
    await show(page, root + path);
    await page.evaluate(() => document.querySelector('thead input[type=checkbox]')?.click());
    for (const name of trail) await press(name);
    await fill(page, samples);
  };
  const used = new Set();
  const explore = async (trail) => {
    await open(trail);
    const address = page.url();
    const {names: shown} = await buttons(page);
    for (const name of shown.filter((each) => !used.has(each))) {
      used.add(name);
      if (!(await press(name))) continue;
      await confirm(page, samples);
      await fill(page, samples);
      const {names: now} = await buttons(page);
      const isSame = page.url() === address && now.join() === shown.join();
      if (isSame) continue;
      if (page.url() === address && trail.length < 2 && now.some((each) => !used.has(each) && !shown.includes(each)))
        await explore([...trail, name]);
      await open(trail);
    }
  };
  await explore([]);
  await open([]);
  /** Makes another choice in the list with this index; returns false if there is none. */
  const choose = (index) =>
    page.evaluate((index) => {
      const lists = [...document.querySelectorAll('main select:enabled')].filter(
        (each) => each.checkVisibility() && !each.closest('form, [role=search]'),
      );
      const list = lists[index];
      const other = list && [...list.options].find((option) => option.value !== list.value);
      if (!other) return list !== undefined;
      list.value = other.value;
      for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, {bubbles: true}));
      return true;
    }, index);
  for (let index = 0; await choose(index); index += 1) {
    await settled(page);
    await confirm(page, samples);
    await open([]);
  }
}

/** Sends each operation above the role with a body that is valid, with the session of the page and past it, ten at a time. */
async function force(page, role, operations) {
  const [cookie] = await page.context().cookies();
  const headers = {
    Cookie: `${cookie.name}=${cookie.value}`,
    'X-Waybill-Console': '1',
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/json',
  };
  const above = operations.filter((each) => exceeds(each, role));
  const send = async () => {
    for (let each = above.pop(); each; each = above.pop()) {
      const {method, path, body} = each;
      const url = new URL(path.replace(/\{[^}]+\}/g, '00000000-0000-4000-8000-000000000000'), root);
      const answer = await fetch(url, {method, headers, ...(method !== 'GET' && {body: JSON.stringify(body)})});
      await answer.arrayBuffer();
      if (answer.status !== 403) faults.push(`${role}: ${method} ${path} is answered with ${answer.status}`);
    }
  };
  await Promise.all(Array.from({length: 10}, send));
}

const browser = await launch();
try {
  const offered = {};
  const walk = (role, index) =>
    step(`${role}: all pages are used, and what is above the role is forced`, async () => {
      const page = await signedIn(browser, links[index]);
      const {operations, samples} = await readDocument(page);
      await force(page, role, operations);
      const {sent, answers} = await watch(page, role, operations);
      await page.goto(`${root}none`);
      await quiet(page);
      for (const path of paths) await use(page, path, ofRole(samples, role));
      for (const each of allowed[role]) {
        const answer = answers.get(each);
        if (!answer?.ok) faults.push(`${role}: ${each} does not succeed: ${answer?.text ?? 'no form has sent it'}`);
      }
      offered[role] = [...sent].filter((each) => each.method !== 'GET');
      console.log(`${role}: ${offered[role].map(({method, path}) => `${method} ${path}`).join(', ')}`);
      await page.context().close();
    });
  await Promise.all(roles.map(walk));
  // Without these the walk would have proved nothing. All of them need input.
  const needInput = {
    operator: ['POST /api/dispatch', 'PUT /api/dispatch', 'POST /api/dispatch/add-shipment'],
    admin: ['POST /api/integrations/provider/configure'],
  };
  for (const [role, expected] of Object.entries(needInput)) {
    const sent = offered[role].map(({method, path}) => `${method} ${path}`);
    for (const each of expected) if (!sent.includes(each)) faults.push(`${role}: no form has sent ${each}`);
  }
  const changes = (role, permission) => offered[role].filter((each) => each.permission === permission).length;
  if (changes('operator', 'operator') < 3) faults.push('an operator is offered hardly a change of records');
  if (changes('admin', 'admin') < 6) faults.push('an admin is offered hardly a change of settings');
  if (changes('owner', 'admin') < changes('admin', 'admin')) faults.push('an owner is offered less than an admin');
} finally {
  await browser.close();
}
for (const fault of new Set(faults)) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
