// A person makes a business, and invites an operator, who accepts and cannot change a workflow; a template is edited,
// previewed and sent to oneself, without leaving its page, which is the test of the first steps; the owner signs in again
// after the end of the session, and loses no form; a forgotten password is replaced by mail.
// Usage: node people.mjs ROOT MAIL_DIR ; ROOT is the address of the API, MAIL_DIR the directory of its mails. Exits with
// 1 at the first step that is not as expected.
import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';

import {call, launch, newPage, quiet, step} from './journey.mjs';

const [origin, mails] = process.argv.slice(2);
if (!mails) throw new Error('usage: node people.mjs ROOT MAIL_DIR');
const root = new URL('/console/', origin).href;
const run = Date.now().toString(36);
const password = 'correct horse';
const people = {owner: `owner-${run}@example.com`, operator: `operator-${run}@example.com`};

async function post(path, body, token) {
  const headers = {'Content-Type': 'application/json', ...(token && {Authorization: `Bearer ${token}`})};
  const answer = await fetch(new URL(path, origin), {method: 'POST', headers, body: JSON.stringify(body)});
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()).data;
}

/** The text of a mail to the address that matches; reads the directory until it is there. */
async function mailTo(address, pattern) {
  const ends = Date.now() + 30_000;
  while (Date.now() < ends) {
    for (const name of (await readdir(mails).catch(() => [])).filter((each) => each.endsWith('.eml'))) {
      const text = await readFile(join(mails, name), 'utf8');
      const found = text.includes(`\r\nTo: ${address}\r\n`) && pattern.exec(text);
      if (found) return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no mail to ${address} with ${pattern}`);
}

/** Ends the session of a page by the API, as another client would; the page keeps its cookie. */
async function endSession(page) {
  const [cookie] = await page.context().cookies();
  const headers = {Cookie: `${cookie.name}=${cookie.value}`, 'X-Waybill-Console': '1', 'Sec-Fetch-Site': 'same-origin'};
  const answer = await fetch(new URL('/api/user/logout', origin), {method: 'POST', headers});
  assert.equal(answer.status, 200, await answer.text());
}

async function signIn(browser, email) {
  const page = await newPage(browser);
  await page.goto(root);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({state: 'detached'});
  return page;
}

const names = {firstName: 'Ada', lastName: 'Lovelace', password, confirmPassword: password};
await post('/api/user/register', {email: people.owner, acceptedTerms: true, ...names});
const [, verification] = await mailTo(people.owner, /\r\n(wb_\S+)/);
await post('/api/user/verify', {token: verification});

const browser = await launch();
try {
  const owner = await signIn(browser, people.owner);
  await step('a person without a business makes one', async () => {
    await owner.getByLabel('Name').fill(`Harbour ${run}`);
    await owner.getByRole('button', {name: 'Make the business'}).click();
    await owner.getByRole('navigation', {name: 'Pages'}).getByText(`Harbour ${run}`).waitFor();
    await owner.getByRole('link', {name: /Send a test/}).waitFor();
    assert.equal((await call(owner, 'POST', '/api/v1/Customers', {name: 'Grace', email: 'grace@example.com'})).status, 201);
  });
  await step('an operator is invited, and accepts', async () => {
    await owner.goto(`${root}settings/users`);
    await owner.getByLabel('E-mail').fill(people.operator);
    await owner.getByRole('button', {name: 'Send the invitation'}).click();
    await owner.getByRole('listitem').filter({hasText: people.operator}).getByText('Invited').waitFor();
    const [, invitation] = await mailTo(people.operator, /\r\n(wb_\S+)/);
    await post('/api/user/accept-invitation', {token: invitation, password, confirmPassword: password});
  });

  let workflow;
  await step('a template is edited and previewed', async () => {
    await owner.goto(`${root}settings/templates/new`);
    await owner.getByLabel('Name').fill('Welcome');
    await owner.getByLabel('Code').fill('welcome');
    await owner.getByLabel('About').selectOption('Customer');
    await owner.getByLabel('Subject').fill('Hello');
    await owner.getByRole('textbox', {name: 'Text', exact: true}).fill('Hello {{name}}.');
    await owner.getByRole('button', {name: 'Save'}).click();
    await owner.getByText('Hello Grace.').waitFor();
    await owner.getByRole('textbox', {name: 'Text', exact: true}).fill('Welcome on board, {{name}}.');
    await owner.getByLabel('HTML').fill('<p>Welcome, <b>{{name}}</b></p>');
    await owner.getByRole('button', {name: 'Save'}).click();
    await owner.getByText('Welcome on board, Grace.').waitFor();
    const html = owner.locator('iframe');
    await owner.frameLocator('iframe').getByText('Welcome, Grace').waitFor();
    const [text, frame] = await Promise.all([owner.getByText('Welcome on board, Grace.').boundingBox(), html.boundingBox()]);
    assert.ok(Math.abs(text.y - frame.y) < 40 && frame.x > text.x, 'text and HTML stand side by side');
  });
  await step('it is sent to oneself without leaving the page', async () => {
    const address = owner.url();
    await owner.getByRole('button', {name: 'Make a workflow for tests'}).click();
    await owner.getByLabel('By the workflow').waitFor();
    await owner.getByRole('button', {name: 'Send', exact: true}).click();
    await owner.getByText(/^(Sent\.|On its way)/).waitFor();
    assert.equal(owner.url(), address);
    await mailTo(people.owner, /Subject: \[Test\] Hello[\s\S]*Welcome on board, Grace\./);
    const all = await call(owner, 'GET', '/api/workflows/Customer/configured');
    assert.equal(all.body.data.length, 1);
    workflow = all.body.data[0];
    assert.equal(workflow.isActive, false);
  });
  await step('the test is done in the first steps of the person who has sent it, who can hide them', async () => {
    await owner.goto(`${root}today`);
    await owner.getByText('Send a test (done)').waitFor();
    await owner.getByRole('button', {name: 'Hide these steps'}).click();
    await owner.reload();
    await owner.getByRole('heading', {name: 'Needs attention'}).waitFor();
    await quiet(owner);
    assert.equal(await owner.getByRole('heading', {name: 'First steps'}).count(), 0);
  });

  const operator = await signIn(browser, people.operator);
  await step('the operator sees the workflow, is offered no change of it, and is refused if forced', async () => {
    await operator.goto(`${root}workflows/${workflow.guid}`);
    await operator.getByRole('heading', {level: 1, name: workflow.name}).waitFor();
    await operator.getByRole('link', {name: 'Runs'}).last().waitFor();
    assert.equal(await operator.getByRole('main').getByRole('button', {name: /Switch|Pause|Resume|New secret/}).count(), 0);
    await operator.goto(`${root}editor/${workflow.guid}`);
    await operator.getByRole('main').getByRole('heading', {level: 1}).waitFor();
    await quiet(operator);
    assert.equal(await operator.getByRole('button', {name: /^Save/}).count(), 0);
    const forced = await call(operator, 'POST', `/api/workflows/configured/${workflow.guid}/toggle`);
    assert.equal(forced.status, 403);
  });
  await step('after the end of the session the password is asked for in place, and the call is repeated with its key', async () => {
    await owner.goto(`${root}carriers?open=new`);
    await owner.getByLabel('Name', {exact: true}).fill('Harbour Express');
    await owner.getByLabel(/^Code/).fill(`harbour-${run}`);
    await endSession(owner);
    const requests = [];
    owner.on('request', (request) => {
      if (request.method() === 'POST' && new URL(request.url()).pathname === '/api/carriers') requests.push(request);
    });
    await owner.getByRole('button', {name: 'New carrier'}).click();
    await owner.getByLabel('Password').fill(password);
    await owner.keyboard.press('Enter');
    await owner.waitForURL(/open=[0-9a-f]{8}-/);
    const answers = await Promise.all(requests.map((request) => request.response()));
    assert.deepEqual(answers.map((answer) => answer.status()), [401, 201]);
    const keys = requests.map((request) => request.headers()['idempotency-key']);
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.equal(keys[1], keys[0]);
    const carriers = (await call(owner, 'GET', '/api/carriers')).body.data;
    assert.equal(carriers.filter((carrier) => carrier.code === `harbour-${run}`).length, 1);
  });
  await step('a wrong password is said, and a link for a new one is mailed', async () => {
    const page = await newPage(browser);
    await page.goto(root);
    await page.getByLabel('E-mail').fill(people.operator);
    await page.getByLabel('Password').fill('wrong wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await page.getByRole('button', {name: /^Forgotten/}).click();
    await page.getByRole('status').getByText(people.operator).waitFor();
    await mailTo(people.operator, /reset-password\?token=wb_/);
  });
} finally {
  await browser.close();
}
