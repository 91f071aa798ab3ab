// The matrix of roles and operations, made from the OpenAPI document: for each role, no page reads what the role may not
// read, no button in a page or its dialogs sends what the role may not send, and the API refuses each such operation
// when it is forced. Nothing is changed: each change that a button sends is answered here.
// Usage: node roles.mjs VIEWER OPERATOR ADMIN OWNER PATH... ; the first four are one-time links of these roles, PATH is
// a path below /console/. Exits with 1 and the faults if there are any.
import {call, launch, signedIn, step} from './journey.mjs';

const roles = ['viewer', 'operator', 'admin', 'owner'];
const links = process.argv.slice(2, 6);
const paths = process.argv.slice(6);
if (paths.length === 0) throw new Error('usage: node roles.mjs VIEWER OPERATOR ADMIN OWNER PATH...');
const root = new URL('/console/', links[0]).href;
const faults = [];

/** Each operation as {method, path, pattern, permission}; those with fewer parameters first. */
async function operationsOf(page) {
  const {paths} = (await call(page, 'GET', '/openapi.json')).body;
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  const all = Object.entries(paths).flatMap(([path, entry]) =>
    methods.filter((method) => entry[method]).map((method) => ({
      method: method.toUpperCase(),
      path,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      permission: entry[method]['x-permission'],
    })),
  );
  return all.sort((one, other) => one.path.split('{').length - other.path.split('{').length);
}

/** True for an operation that needs a higher role. */
const exceeds = (operation, role) => roles.indexOf(operation.permission) > roles.indexOf(role);

/** Records each call of the page as an operation, and answers the changes itself. Returns the set of operations. */
async function watch(page, role, operations) {
  const sent = new Set();
  await page.context().route((url) => url.pathname.startsWith('/api/'), async (route) => {
    const request = route.request();
    const {pathname} = new URL(request.url());
    const operation = operations.find((each) => each.method === request.method() && each.pattern.test(pathname));
    if (!operation) faults.push(`${role}: ${request.method()} ${pathname} is in no document`);
    else if (exceeds(operation, role)) faults.push(`${role}: ${page.url()} offers ${operation.method} ${operation.path}`);
    if (operation) sent.add(operation);
    if (request.method() === 'GET') return route.continue();
    return route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify({success: false, error: {code: 'CONFLICT', message: 'not sent', details: {}}}),
    });
  });
  return sent;
}

/** Lets what a click began reach the network. */
const settled = (page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Sends the form of the modal dialog as it is, then closes the dialog. */
async function confirm(page) {
  const dialog = page.locator('dialog:modal').last();
  if ((await dialog.count()) === 0) return;
  const submit = dialog.locator('button[type=submit]:enabled');
  if (await submit.count()) await submit.last().click();
  await settled(page);
  await page.keyboard.press('Escape');
}

/** Opens a page and uses each of its buttons once. */
async function use(page, path) {
  const open = async () => {
    await page.goto(root + path);
    await page.waitForLoadState('networkidle');
    const all = page.locator('thead input[type=checkbox]');
    if (await all.count()) await all.first().check();
    // A form is sent with what it has: the point is that it is sent at all.
    await page.evaluate(() => {
      for (const form of document.forms) form.noValidate = true;
    });
  };
  await open();
  const buttons = page.locator('main button:visible:enabled, dialog button:visible:enabled');
  const count = await buttons.count();
  for (let index = 0; index < count; index += 1) {
    const button = buttons.nth(index);
    if ((await button.count()) === 0) break;
    const address = page.url();
    await button.click({timeout: 3000}).catch(() => {});
    await settled(page);
    await confirm(page);
    if (page.url() !== address || (await buttons.count()) !== count) await open();
  }
}

/** Sends each operation above the role, with the session of the page and past it. */
async function force(page, role, operations) {
  for (const {method, path} of operations.filter((each) => exceeds(each, role))) {
    const url = new URL(path.replace(/\{[^}]+\}/g, '00000000-0000-4000-8000-000000000000'), root).href;
    const headers = {'X-Waybill-Console': '1', 'Sec-Fetch-Site': 'same-origin'};
    const answer = await page.context().request.fetch(url, {method, headers, ...(method !== 'GET' && {data: {}})});
    if (answer.status() !== 403) faults.push(`${role}: ${method} ${path} is answered with ${answer.status()}`);
  }
}

const browser = await launch();
try {
  const offered = {};
  const walk = (role, index) =>
    step(`${role}: all pages are used, and what is above the role is forced`, async () => {
      const page = await signedIn(browser, links[index]);
      const operations = await operationsOf(page);
      await force(page, role, operations);
      const sent = await watch(page, role, operations);
      for (const path of paths) await use(page, path);
      offered[role] = [...sent].filter((each) => each.method !== 'GET');
      console.log(`${role}: ${offered[role].map(({method, path}) => `${method} ${path}`).join(', ')}`);
      await page.context().close();
    });
  await Promise.all(roles.map(walk));
  // Without these the walk would have proved nothing.
  const allowed = (role, permission) => offered[role].filter((each) => each.permission === permission).length;
  if (allowed('operator', 'operator') < 3) faults.push('an operator is offered hardly a change of records');
  if (allowed('admin', 'admin') < 6) faults.push('an admin is offered hardly a change of settings');
  if (allowed('owner', 'admin') < allowed('admin', 'admin')) faults.push('an owner is offered less than an admin');
} finally {
  await browser.close();
}
for (const fault of new Set(faults)) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
