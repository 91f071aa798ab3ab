// A newcomer makes a workflow from an order, and two people edit it; a viewer can change nothing.
// Usage: node editor.mjs LINK VIEWER_LINK [SCREENSHOTS] ; one-time links (`waybill console-link`) of a business with orders,
// the first of an admin, and the second of a viewer. Exits with 1 at the first step that is not as expected.
import assert from 'node:assert/strict';

import {launch} from './journey.mjs';

const [adminLink, viewerLink, folder] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node editor.mjs LINK VIEWER_LINK [SCREENSHOTS]');
const base = new URL('/console/', adminLink).href;
const link = new URL(adminLink).hash, viewer = new URL(viewerLink).hash;
const browser = await launch();
const errors = [];

async function open(hash) {
  const context = await browser.newContext({viewport: {width: 1360, height: 900}, locale: 'en-GB'});
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => errors.push(`a dialog of the browser: ${dialog.message()}`));
  page.setDefaultTimeout(45_000);
  await page.goto(base + hash);
  await page.getByRole('heading', {level: 1}).first().waitFor();
  return page;
}

async function shot(page, name) {
  if (folder) await page.screenshot({path: `${folder}/${name}.png`, fullPage: true});
}

function call(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(path, {
        method,
        headers: {'X-Waybill-Console': '1', 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID()},
        ...(body && {body: JSON.stringify(body)}),
      });
      return answer.json();
    },
    [method, path, body],
  );
}

/** Waits until `read` gives what is expected. */
async function until(read, what) {
  for (const end = Date.now() + 45_000; Date.now() < end; ) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not happen`);
}

const step = (text) => console.log(text);
const name = `Journey ${Date.now()}`;
const page = await open(link);

step('A click on a value of an order makes a condition.');
await page.goto(`${base}editor`);
await page.getByRole('list', {name: 'The latest'}).getByRole('link').first().click();
await page.getByLabel('Name', {exact: true}).fill(name);
await page.getByRole('button', {name: /^deliveryAddress\.city/}).click();
assert.equal(await page.getByLabel('Field', {exact: true}).first().inputValue(), 'deliveryAddress.city');

step('What is missing is said before anything is saved.');
await page.getByRole('heading', {name: 'Still missing or wrong'}).waitFor();
await page.getByRole('checkbox', {name: 'Order created'}).check();
await page.getByLabel('Add a step…').selectOption('webhook');
await page.getByLabel('URL', {exact: true}).fill('http://127.0.0.1:9/journey');

step('The backtest counts the runs, and how often the condition held.');
await page.getByText(/runs of \d+ events/).waitFor();
await page.getByText(/held \d+ of \d+ times/).first().waitFor();
await page.getByText('It would run', {exact: true}).waitFor();
await shot(page, 'made');

step('What is not saved is there after the page was loaded again, and can be undone.');
await page.reload();
await page.getByText('Changes that were not saved are back.').waitFor();
const nameField = page.getByLabel('Name', {exact: true}), url = page.getByLabel('URL', {exact: true});
const button = (name) => page.getByRole('button', {name, exact: true});
assert.equal(await nameField.inputValue(), name);
await button('Undo').click();
assert.equal(await url.inputValue(), '');
await button('Undo').press('Control+Shift+Z');
assert.equal(await url.inputValue(), 'http://127.0.0.1:9/journey');
assert.equal(await button('Redo').isDisabled(), true);

step('The keys undo what the form has taken; the text of another field, and JSON, have their own.');
await nameField.pressSequentially(' and more');
await nameField.press('Control+z');
assert.equal(await nameField.inputValue(), name);
const search = page.getByRole('searchbox').first();
await search.pressSequentially('ada');
await search.press('Control+z');
assert.equal(await nameField.inputValue(), name);
assert.notEqual(await search.inputValue(), 'ada');

step('A folded step says what it does, and keeps what was typed.');
const details = page.getByRole('button', {name: 'Details: Call a URL'});
await details.click();
assert.equal(await details.getAttribute('aria-expanded'), 'false');
await page.getByRole('region', {name: '1 Call a URL'}).getByText('http://127.0.0.1:9/journey', {exact: true}).waitFor();
assert.equal(await url.isVisible(), false);
await details.click();
assert.equal(await url.inputValue(), 'http://127.0.0.1:9/journey');

step('The definition is JSON both ways.');
await page.getByRole('link', {name: 'JSON', exact: true}).click();
const text = page.getByRole('textbox', {name: 'JSON'});
const definition = JSON.parse(await text.inputValue());
await text.fill('{');
await page.getByText('This is not JSON').waitFor();
await text.press('Control+z');
assert.deepEqual(JSON.parse(await text.inputValue()), definition);
await page.getByText('This is not JSON').waitFor({state: 'hidden'});
await text.fill(JSON.stringify({...definition, delay: 'PT2H'}));
await page.getByRole('link', {name: 'Form', exact: true}).click();
assert.equal(await page.getByRole('textbox', {name: 'Wait before the first step'}).inputValue(), '2');

step('It is saved switched off, with its secret, and acts once it is switched on.');
await page.getByRole('button', {name: 'Save, switched off'}).click();
await page.getByText('The secret that signs its calls').waitFor();
await page.waitForURL(/editor\/[0-9a-f-]{36}/);
const guid = /editor\/([0-9a-f-]{36})/.exec(page.url())[1];
await nameField.fill(`${name}, not saved`);
await page.getByRole('button', {name: 'Switch on'}).click();
await page.getByText(/it would have run \d+ times/).waitFor();
await shot(page, 'switch-on');
await page.getByRole('dialog').getByRole('button', {name: 'Switch on'}).click();
await page.getByRole('button', {name: 'Switch off'}).waitFor();
assert.equal(await button('Keep my changes on top').count(), 0, 'the switch counts as a version of another person');
assert.equal(await nameField.inputValue(), `${name}, not saved`);
await button('Undo').click();
const {data: orders} = await call(page, 'GET', '/api/v1/Orders?PageSize=10');
const city = definition.conditions['deliveryAddress.city'];
await call(page, 'POST', '/api/v1/Orders', {
  customer: {name: '<img src=x onerror=alert(1)>'},
  items: [{description: 'Desk lamp', quantity: 1, price: 10}],
  deliveryAddress: {...orders[0].deliveryAddress, city},
});
await until(async () => (await call(page, 'GET', `/api/workflows/runs?workflowId=${guid}`)).data.length, 'A run');

step('Two people edit it: the later one sees the difference, and keeps both changes.');
await page.getByLabel('Name', {exact: true}).fill(`${name} by the first`);
await call(page, 'POST', '/api/workflows/configure', {guid, delay: 'PT3H'});
await page.getByRole('button', {name: 'Save', exact: true}).click();
const dialog = page.getByRole('dialog').getByRole('button', {name: 'Save', exact: true});
if (await dialog.isVisible().catch(() => false)) await dialog.click();
await page.getByRole('alert').getByText(/Meanwhile version \d+ was saved/).waitFor();
await shot(page, 'conflict');
if (await page.getByRole('dialog').isVisible()) await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
await page.getByRole('button', {name: 'Keep my changes on top'}).click();
await button('Undo').click();
assert.equal(await nameField.inputValue(), name);
await button('Redo').click();
assert.equal(await nameField.inputValue(), `${name} by the first`);
await page.getByRole('button', {name: 'Save', exact: true}).click();
await page.getByRole('dialog').getByText(/takes effect at once/).waitFor();
let release;
const released = new Promise((resolve) => (release = resolve));
await page.route(`**/api/workflows/configured/${guid}`, (route) => released.then(() => route.continue()));
await page.getByRole('dialog').getByRole('button', {name: 'Save', exact: true}).click();

step('What was saved stays in the form before the workflow is read again.');
await page.getByText('no changes', {exact: true}).waitFor();
await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
assert.equal(await nameField.inputValue(), `${name} by the first`);
release();
const stored = await until(async () => {
  const {data} = await call(page, 'GET', `/api/workflows/configured/${guid}`);
  return data.name.endsWith('first') ? data : null;
}, 'The second save');
assert.equal(stored.delay, 'PT3H');

step('An earlier version is compared, by its runs too.');
await page.getByRole('link', {name: 'Versions', exact: true}).click();
await page.getByRole('link', {name: /^Version 1\b/}).click();
await page.getByLabel('Difference', {exact: true}).getByText('PT2H').first().waitFor();
await page.getByText(/The same runs as version 1|Differs from version 1/).waitFor();
await shot(page, 'versions');

if (viewer) {
  step('A viewer may look and try, and is offered no change.');
  const other = await open(viewer);
  await other.goto(`${base}editor/${guid}`);
  await other.getByText('Your role may look and try').waitFor();
  for (const offered of ['Save', 'Switch off', 'Switch on', 'Discard changes']) {
    assert.equal(await other.getByRole('button', {name: offered, exact: true}).count(), 0, offered);
  }
  assert.equal(await other.getByLabel('Name', {exact: true}).isDisabled(), true);
  await shot(other, 'viewer');
  for (const path of ['editor', 'editor/new']) {
    await other.goto(base + path);
    await other.getByText('Your role does not allow this.').waitFor();
    assert.equal(await other.getByRole('main').getByRole('button').count(), 0, `a beginning at ${path}`);
  }
}

step('In German the editor is German, the triggers too.');
const german = await (await browser.newContext({storageState: await page.context().storageState(), locale: 'de-DE'})).newPage();
await german.addInitScript(() => localStorage.clear());
await german.goto(`${base}editor/${guid}`);
await german.getByRole('heading', {name: 'Bedingungen'}).waitFor();
assert.equal(await german.getByRole('checkbox', {name: 'Auftrag erstellt'}).isChecked(), true);
await german.context().close();

step('It is deleted after a question, and its row is gone.');
await page.goto(`${base}workflows?open=${guid}`);
await page.locator('tr', {hasText: name}).waitFor();
await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click();
await page.getByText(/open runs end without being performed/).waitFor();
await page.locator('dialog:modal').getByRole('button', {name: 'Delete'}).click();
await page.waitForURL(/workflows$/);
await page.locator('tr', {hasText: name}).waitFor({state: 'detached'});

await browser.close();
assert.deepEqual(errors, []);
