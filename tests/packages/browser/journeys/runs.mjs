// Walks through the pages of runs, messages, events, jobs and audit in Chromium, as people use them: a receiver breaks,
// the failed run is found and replayed; a workflow and its run say what their steps do; support finds why a customer got no mail; new events do not move the list; a
// viewer can change nothing; a phone has no page that is wider. The journey makes its own records, with texts that would run as scripts if a page let them.
// Usage: node runs.mjs CONSOLE TOKEN LINK VIEWER_LINK ; CONSOLE is the URL of the console, TOKEN an API token of an admin,
// the links are one-time links of an admin and of a viewer. Needs `--allow-private-destinations`. The exit status is 1 if
// a step fails.
import assert from 'node:assert/strict';
import {createServer} from 'node:http';

import {layoutFindings} from '../browser.mjs';
import {launch} from './journey.mjs';

const [consoleUrl, token, link, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node runs.mjs CONSOLE TOKEN LINK VIEWER_LINK');
const unique = String(Date.now());
const email = `mallory-${unique}@example.com`;
const hostile = `<img src=x onerror=alert(1)> ${unique}`;

let status = 400;
const receiver = createServer((request, response) => {
  request.resume();
  // The header ends the run at once.
  response.writeHead(status, status === 200 ? {} : {'webhook-delivery': 'abort-message'}).end(`<script>alert(2)</script> ${status}`);
}).listen(0, '127.0.0.1');

async function call(method, path, body) {
  const headers = {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'};
  const answer = await fetch(new URL(path, consoleUrl), {method, headers, body: body && JSON.stringify(body)});
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
  return JSON.parse(text).data;
}

function makeOrder(city = 'London', name = hostile) {
  return call('POST', '/api/v1/Orders', {
    customer: {name, email: name === hostile ? email : `grace-${email}`},
    items: [{description: hostile, quantity: 1, price: 20}],
    deliveryAddress: {street: hostile, city},
  });
}

async function prepare() {
  const conditions = {'customer.email': email};
  const common = {entityType: 'Order', triggers: ['order_created']};
  const action = {type: 'webhook', recipient: `http://127.0.0.1:${receiver.address().port}/erp`};
  const either = {any: [conditions, {'customer.email': `other-${email}`}]};
  const erp = await call('POST', '/api/workflows/configure', {name: `ERP ${unique}`, ...common, conditions: either, action});
  const mail = await call('POST', '/api/workflows/configure', {
    ...common,
    name: `Gift ${unique}`,
    conditions: {...conditions, totalValue: {gte: 1000}},
    action: {type: 'send_email', recipient: '{{customer.email}}', subject: hostile, body: 'A gift.'},
  });
  await call('POST', '/api/workflows/configure', {
    name: `Return ${unique}`,
    entityType: 'Shipment',
    triggers: ['shipment_created'],
    conditions: {'customer.email': email, any: [{status: 'returned'}, {'recipient.name': 'Nobody'}]},
    action: {type: 'send_email', recipient: '{{customer.email}}', subject: 'Back', body: 'It comes back.'},
  });
  const waits = await call('POST', '/api/workflows/configure', {
    ...common,
    name: `Steps ${unique}`,
    conditions: {'deliveryAddress.city': `Porto ${unique}`},
    steps: [
      {type: 'update_record', set: {notes: 'first'}},
      {type: 'update_record', set: {notes: 'second'}},
      {type: 'wait', for: {triggers: ['order_shipped']}, atMost: 'P2D', workdays: true},
      {
        type: 'choose',
        when: {status: 'shipped'},
        then: [{type: 'wait', delay: 'P1DT12H'}],
        otherwise: [{type: 'wait', until: 'createdAt', offset: 'P2DT1H30M'}],
      },
    ],
  });
  await makeOrder(`Porto ${unique}`, 'Grace');
  const order = await makeOrder();
  const {customer} = await call('GET', `/api/v1/Orders/${order.guid}`);
  const person = {name: 'Ada', street: 'Rua 1', city: 'Lisbon', country: 'Portugal'};
  await call('POST', '/api/v1/shipments', {customerId: customer.guid, sender: person, recipient: person, packages: [{weight: 1}]});
  return {erp, mail, waits, order};
}

const button = (page, name) => page.getByRole('button', {name, exact: true});

async function findFailedRunAndReplay(page, {erp}) {
  await page.goto(`${consoleUrl}runs?workflowId=${erp.guid}`);
  await page.getByRole('combobox', {name: /^Status/}).selectOption('dead');
  await page.getByRole('link', {name: `ERP ${unique}`}).click({timeout: 45_000});
  assert.match(page.url(), /status=dead.*open=/);
  const run = page.getByRole('dialog', {name: 'Run'});
  await run.getByText('The workflow matched').waitFor();
  await run.getByText('Why it matched').click();
  await run.getByText('any of').waitFor();
  await run.getByText('Attempt 1').click();
  await run.getByText('<script>alert(2)</script> 400').waitFor();
  await run.getByRole('link', {name: 'Request'}).click();
  await run.getByText(hostile).first().waitFor();
  status = 200;
  await button(run, 'Replay').click();
  const asks = page.locator('dialog:modal');
  await asks.getByText('twice').waitFor();
  const before = page.url();
  await button(asks, 'Replay').click();
  await page.waitForURL((url) => url.href !== before);
  await run.getByRole('link', {name: 'Time line'}).click();
  await run.getByText('The run ended').waitFor({timeout: 45_000});
  await run.getByRole('link', {name: 'the run that it repeats'}).or(run.getByRole('link', {name: 'a replay'})).waitFor();
}

async function replayAll(page, {erp}) {
  await page.goto(`${consoleUrl}runs?workflowId=${erp.guid}&status=dead`);
  await button(page, 'Replay all…').click();
  const asks = page.locator('dialog:modal');
  await asks.getByText('Runs that match: 1.').waitFor();
  await button(asks, 'Replay (1)').click();
  await page.waitForURL(/job=/);
  await page.getByText('1 of 1').waitFor({timeout: 45_000});
  await page.goto(`${consoleUrl}jobs`);
  await page.getByRole('table', {name: 'Jobs'}).getByText('Replay of runs').first().waitFor();
}

/** The texts of the steps on the page of the workflow, and on a page of one who reads German. */
async function readWhatAWorkflowDoes(page, {waits}) {
  await page.goto(`${consoleUrl}workflows/${waits.guid}`);
  for (const text of [
    'Set fields: notes = “second”',
    'Wait: for “Order shipped”, at most 2 working days',
    'Choose: if status is “shipped”',
    'Wait: 1 day, 12 hours',
    'Wait: until 2 days, 1 hour, 30 minutes after createdAt',
  ])
    await page.getByText(text).waitFor();
  const {cookies} = await page.context().storageState();
  const context = await page.context().browser().newContext({locale: 'de-DE', storageState: {cookies, origins: []}});
  const german = await context.newPage();
  await german.goto(`${consoleUrl}workflows/${waits.guid}`);
  await german.getByText('Warten: auf „Auftrag versandt“, höchstens 2 Arbeitstage').waitFor();
  await context.close();
}

async function readWhatARunWaitsFor(page, {waits}) {
  await page.goto(`${consoleUrl}runs?workflowId=${waits.guid}`);
  await page.getByRole('link', {name: `Steps ${unique}`}).click({timeout: 45_000});
  const run = page.getByRole('dialog', {name: 'Run'});
  await run.getByText(/It waits for “Order shipped”, until .+ at the latest/).waitFor({timeout: 45_000});
  await run.getByText('notes = “first”').waitFor();
  await run.getByText('2 changes', {exact: true}).waitFor();
  await run.getByText(/API token · \S/).waitFor();
  await page.goto(`${consoleUrl}messages?workflowId=${waits.guid}`);
  await page.getByRole('main').getByRole('link', {name: `Steps ${unique}`}).waitFor();
}

async function findWhyThereIsNoMail(page, {order}) {
  await page.goto(`${consoleUrl}messages`);
  await page.getByRole('searchbox', {name: 'Whose messages?'}).fill(order.orderNumber);
  await button(page, 'Show').click();
  await page.getByRole('main').getByRole('link', {name: order.orderNumber}).click();
  await page.getByRole('link', {name: 'Not sent: why?'}).click();
  await page.locator('details', {hasText: `Gift ${unique}`}).getByText('1,000 · was 20').waitFor();
}

async function findWhyThereIsNoMailForAParcel(page) {
  await page.goto(`${consoleUrl}messages?address=${email}&view=unsent`);
  await page.getByRole('main').getByRole('link', {name: /^Parcel /}).click();
  const mail = page.locator('details', {hasText: `Return ${unique}`});
  await mail.getByText('“returned” · was “created”').waitFor();
  await mail.getByText('any of').waitFor();
}

async function followEvents(page) {
  await page.goto(`${consoleUrl}events?type=order_created`);
  const table = page.getByRole('table', {name: 'Events'});
  const first = await table.locator('tbody tr').first().innerText();
  const made = await makeOrder();
  await button(page, '↑ 1 new').waitFor({timeout: 45_000});
  assert.equal(await table.locator('tbody tr').first().innerText(), first, 'a new event moves no row');
  await button(page, '↑ 1 new').click();
  await table.locator('tbody tr').first().getByText(made.orderNumber).waitFor();
  await table.getByRole('link', {name: 'Order created'}).first().click();
  await page.getByRole('dialog', {name: 'Event'}).getByText(hostile).first().waitFor();
  await page.keyboard.press('Escape');
  await button(page, 'Ledger balances').waitFor();
}

async function readAudit(page, {mail}) {
  await page.goto(`${consoleUrl}audit?entityId=${mail.guid}`);
  await page.getByRole('link', {name: `Gift ${unique}`}).click();
  await page.getByRole('dialog').getByText('"gte": 1000').waitFor();
}

async function changeNothing(page, {erp}) {
  await page.goto(`${consoleUrl}runs?workflowId=${erp.guid}`);
  await page.getByRole('link', {name: `ERP ${unique}`}).first().click();
  await page.getByText('The workflow matched').waitFor();
  for (const name of ['Replay', 'Cancel run', 'Replay all…', 'Cancel all…'])
    assert.equal(await button(page, name).count(), 0, `a viewer is not offered “${name}”`);
}

/** The steps of the guide have their longest titles in German. */
async function fitAPhone(browser, page) {
  const {cookies} = await page.context().storageState();
  const context = await browser.newContext({locale: 'de-DE', viewport: {width: 360, height: 740}, storageState: {cookies, origins: []}});
  const phone = await context.newPage();
  await phone.goto(`${consoleUrl}today`);
  await phone.getByText('(erledigt)').first().waitFor({state: 'attached'});
  await phone.getByRole('heading', {level: 2, name: 'Aufträge'}).waitFor();
  assert.deepEqual(await layoutFindings(phone), []);
  await context.close();
}

async function signedIn(browser, by, faults) {
  const context = await browser.newContext({locale: 'en-GB', reducedMotion: 'reduce'});
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    faults.push(`a script has run: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(by);
  await page.getByRole('navigation', {name: 'Pages'}).waitFor({state: 'attached'});
  return page;
}

const browser = await launch();
try {
  const faults = [];
  const made = await prepare();
  const page = await signedIn(browser, link, faults);
  for (const step of [findFailedRunAndReplay, replayAll, readWhatAWorkflowDoes, readWhatARunWaitsFor, findWhyThereIsNoMail, findWhyThereIsNoMailForAParcel, followEvents, readAudit]) {
    await step(page, made);
    console.log(`ok ${step.name}`);
  }
  await fitAPhone(browser, page);
  console.log('ok fitAPhone');
  await changeNothing(await signedIn(browser, viewerLink, faults), made);
  console.log('ok changeNothing');
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  receiver.close();
}
