// The matrix of roles and operations, made from the OpenAPI document: for each role, no page reads what the role may not
// read, no button in a page or its dialogs sends what the role may not send, and the API refuses each such operation
// when it is forced. Forms get input before they are sent, made from the schemas of the document; what a button shows is
// used as well. One change of each kind of `allowed` that a page of the role sends is made, so that what is offered
// succeeds; every other change that a button sends is answered here.
// Usage: node roles.mjs VIEWER OPERATOR ADMIN OWNER PATH... ; the first four are one-time links of these roles, PATH is
// a path below /console/. Exits with 1 and the faults if there are any.
import {call, launch, signedIn, step} from './journey.mjs';

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
 * answers all other changes itself. Returns the set of operations, and the answers of those that were let through.
 */
async function watch(page, role, operations) {
  const sent = new Set();
  const answers = new Map();
  await page.context().route((url) => url.pathname.startsWith('/api/'), async (route) => {
    const request = route.request();
    const {pathname} = new URL(request.url());
    const operation = operations.find((each) => each.method === request.method() && each.pattern.test(pathname));
    if (!operation) faults.push(`${role}: ${request.method()} ${pathname} is in no document`);
    else if (exceeds(operation, role)) faults.push(`${role}: ${page.url()} offers ${operation.method} ${operation.path}`);
    if (operation) sent.add(operation);
    if (request.method() === 'GET') return route.continue();
    const name = operation && `${operation.method} ${operation.path}`;
    if (allowed[role].includes(name) && !answers.get(name)?.ok) {
      // The browser's own header is not in a request that is sent for it.
      const answer = await route.fetch({headers: {...request.headers(), 'sec-fetch-site': 'same-origin'}});
      answers.set(name, {ok: answer.ok(), text: `${answer.status()} ${await answer.text()}`});
      return route.fulfill({response: answer});
    }
    return route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify({success: false, error: {code: 'CONFLICT', message: 'not sent', details: {}}}),
    });
  });
  return {sent, answers};
}

/** Samples whose names and addresses are those of a role, so that the roles make different records. */
function ofRole({byField, ...samples}, role) {
  const own = Object.fromEntries(['name', 'code', 'licensePlate'].map((field) => [field, `${byField[field]}-${role}`]));
  const email = `${role}-${samples.email}`;
  return {...samples, email, text: `${samples.text}-${role}`, byField: {...byField, ...own, email, emails: email}};
}

/** The calls under way of each page, and who waits for their end. */
const underWay = new WeakMap();

function countCalls(page) {
  const state = {count: 0, waiting: []};
  const end = () => {
    state.count -= 1;
    if (state.count === 0) for (const resume of state.waiting.splice(0)) resume();
  };
  page.on('request', () => (state.count += 1));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  underWay.set(page, state);
}

/** Lets what a click began end, and be shown. */
async function settled(page) {
  const frames = () =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const state = underWay.get(page);
  await frames();
  if (state.count > 0) await new Promise((resolve) => state.waiting.push(resolve));
  await frames();
}

/** Waits until the page has made its calls: what one answer shows can begin the next call, before the page is idle. */
async function quiet(page) {
  for (let rounds = 0; rounds < 3; ) {
    await settled(page);
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 30))));
    rounds = underWay.get(page).count === 0 ? rounds + 1 : 0;
  }
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
  const dialog = page.locator('dialog:modal').last();
  if ((await dialog.count()) === 0) return;
  await fill(page, samples);
  const submit = dialog.locator('button[type=submit]:enabled');
  if (await submit.count()) await submit.last().click();
  await settled(page);
  await page.keyboard.press('Escape');
}

/** Opens a page and uses each of its buttons once, with input in its forms, and each button that one of them shows. Then
 * it makes another choice in each list outside of forms. */
async function use(page, path, samples) {
  const buttons = page.locator('main button:visible:enabled, dialog button:visible:enabled');
  /** A name for each button; the second one of a name is another button. */
  const namesOf = async () => {
    const seen = new Map();
    const texts = await buttons.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent.trim()));
    return texts.map((text) => {
      seen.set(text, (seen.get(text) ?? 0) + 1);
      return `${text} ${seen.get(text)}`;
    });
  };
  const press = async (name) => {
    const index = (await namesOf()).indexOf(name);
    if (index < 0) return false;
    await buttons.nth(index).click({timeout: 3000}).catch(() => {});
    await settled(page);
    return true;
  };
  const open = async (trail) => {
    await page.goto(root + path);
    await quiet(page);
    const all = page.locator('thead input[type=checkbox]');
    if (await all.count()) await all.first().check();
    for (const name of trail) await press(name);
    await fill(page, samples);
  };
  const used = new Set();
  const explore = async (trail) => {
    await open(trail);
    const address = page.url();
    const shown = await namesOf();
    for (const name of shown.filter((each) => !used.has(each))) {
      used.add(name);
      if (!(await press(name))) continue;
      await confirm(page, samples);
      await fill(page, samples);
      const now = await namesOf();
      const isSame = page.url() === address && now.join() === shown.join();
      if (isSame) continue;
      if (page.url() === address && trail.length < 2 && now.some((each) => !used.has(each) && !shown.includes(each)))
        await explore([...trail, name]);
      await open(trail);
    }
  };
  await explore([]);
  await open([]);
  const choices = page.locator('main select:visible:enabled:not(form select, [role=search] select)');
  for (let index = 0; index < (await choices.count()); index += 1) {
    const other = await choices.nth(index).evaluate((each) => [...each.options].find((option) => option.value !== each.value)?.value);
    if (other === undefined) continue;
    await choices.nth(index).selectOption(other, {timeout: 3000}).catch(() => {});
    await settled(page);
    await confirm(page, samples);
    await open([]);
  }
}

/** Sends each operation above the role with a body that is valid, with the session of the page and past it. */
async function force(page, role, operations) {
  for (const {method, path, body} of operations.filter((each) => exceeds(each, role))) {
    const url = new URL(path.replace(/\{[^}]+\}/g, '00000000-0000-4000-8000-000000000000'), root).href;
    const headers = {'X-Waybill-Console': '1', 'Sec-Fetch-Site': 'same-origin'};
    const answer = await page.context().request.fetch(url, {method, headers, ...(method !== 'GET' && {data: body})});
    if (answer.status() !== 403) faults.push(`${role}: ${method} ${path} is answered with ${answer.status()}`);
  }
}

const browser = await launch();
try {
  const offered = {};
  const walk = (role, index) =>
    step(`${role}: all pages are used, and what is above the role is forced`, async () => {
      const page = await signedIn(browser, links[index]);
      const {operations, samples} = await readDocument(page);
      await force(page, role, operations);
      countCalls(page);
      const {sent, answers} = await watch(page, role, operations);
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
