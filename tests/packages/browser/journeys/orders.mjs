// A packer makes parcels of orders, scans one and prints labels; support sees why a workflow did not act; an office
// uploads, exports and erases customers; a viewer can change nothing.
// Usage: node orders.mjs LINK VIEWER_LINK ; one-time links (`waybill console-link`) of the same business, the
// first of an admin, and the second of a viewer. Exits with 1 at the first step that is not as expected.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {launch, newPage, step} from './journey.mjs';

const [link, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node orders.mjs LINK VIEWER_LINK');
const root = new URL('/console/', link).href;
/** Makes names and addresses of this run its own. */
const run = Date.now().toString(36);
const evil = `<img src=x onerror="window.broken=1">${run}`;

const browser = await launch();

async function person(link) {
  const page = await newPage(browser);
  page.on('request', (request) => {
    const {origin, protocol} = new URL(request.url());
    assert.ok(protocol === 'blob:' || origin === new URL(root).origin, `request to ${request.url()}`);
  });
  await page.goto(link);
  await page.getByRole('navigation', {name: 'Pages'}).waitFor();
  return page;
}

/** Calls the API with the session of the page, as the console does. */
async function call(page, method, path, body) {
  const answer = await page.evaluate(
    async ([method, path, body]) => {
      const headers = {'X-Waybill-Console': '1', 'Content-Type': 'application/json'};
      const response = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
      return {status: response.status, body: await response.json()};
    },
    [method, path, body],
  );
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** The bytes of the file that an action saves. */
async function saved(page, action, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  assert.match(download.suggestedFilename(), name);
  return readFileSync(await download.path());
}

const page = await person(link);
const button = (name) => page.getByRole('button', {name});
const town = {street: 'Main Street 1', city: 'Berlin', postalCode: '10115', country: 'DE'};
const customer = await call(page, 'POST', '/api/v1/Customers', {name: evil, email: `${run}@example.org`, address: town});
await call(page, 'POST', '/api/workflows/configure', {
  name: `Large orders ${run}`,
  entityType: 'Order',
  triggers: ['order_created'],
  conditions: {all: [{totalValue: {gte: 1000}}, {any: [{'deliveryAddress.country': 'DE'}, {'deliveryAddress.country': 'AT'}]}]},
  action: {type: 'send_email', recipient: '{{customer.email}}', subject: 'Thank you', body: 'Thank you.'},
});
const orders = [];
for (const sku of ['A', 'B', 'C']) {
  const items = [{description: `Item ${sku}`, sku: `${run}-${sku}`, quantity: 2, price: 10}];
  const deliveryAddress = {name: evil, ...town};
  orders.push(await call(page, 'POST', '/api/v1/Orders', {customerId: customer.guid, items, deliveryAddress, tags: [run]}));
}

await step('orders are found by a tag, selected, and become parcels', async () => {
  await page.goto(`${root}orders?tag=${run}`);
  await page.getByText('3 in total').waitFor();
  await page.getByRole('checkbox', {name: 'Select all rows shown'}).check();
  await button('Make parcels').click();
  const dialog = page.getByRole('dialog', {name: 'Make parcels of 3 orders?'});
  await dialog.getByRole('button', {name: 'Make parcels'}).click();
  await dialog.getByText('3 done.').waitFor();
  await dialog.getByRole('link', {name: 'Pack'}).click();
});

let number;
await step('a scanned number opens its parcel, and the field waits for the next one', async () => {
  const order = await call(page, 'GET', `/api/v1/Orders/${orders[0].guid}`);
  number = order.shipments[0].trackingNumber;
  const field = page.getByRole('textbox', {name: 'Scan a parcel'});
  await field.fill(number.toLowerCase());
  await field.press('Enter');
  await page.getByRole('dialog', {name: 'Parcel'}).getByText(`${run}-A`).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === 'scan');
  await field.fill('no such number');
  await field.press('Enter');
  await page.getByText('No parcel and no order with a parcel has the number no such number.').waitFor();
  // The number of an order opens its parcel, too.
  await field.fill(order.orderNumber);
  await field.press('Enter');
  await page.getByRole('heading', {name: number}).waitFor();
});

await step('the label of one parcel and the labels of several are printed as PDFs', async () => {
  const one = await saved(page, () => button('Print label').first().click(), /^labels-1\.pdf$/);
  assert.equal(one.subarray(0, 5).toString(), '%PDF-');
  await button('Close').click();
  await page.getByRole('checkbox').nth(2).click();
  await page.getByRole('checkbox').nth(4).click({modifiers: ['Shift']});
  await page.getByText('3 selected').waitFor();
  const three = await saved(page, () => button('Print labels').click(), /^labels-3\.pdf$/);
  assert.ok(three.length > one.length);
});

await step('a move asks first, is made with its note, and names who made it', async () => {
  await page.goto(`${root}pack`);
  await page.getByRole('textbox', {name: 'Scan a parcel'}).fill(number);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {name: number}).waitFor();
  await page.getByLabel('Change status').selectOption('collected');
  const dialog = page.getByRole('dialog', {name: `${number}: change to “Collected”?`});
  await dialog.getByLabel('Note for the history').fill(`by van ${run}`);
  await dialog.getByRole('button', {name: 'Change to “Collected”'}).click();
  await dialog.waitFor({state: 'detached'});
  await page.locator('tr', {hasText: number}).waitFor({state: 'detached'});
  await page.getByRole('link', {name: 'History'}).click();
  await page.getByText(`by van ${run}`).first().waitFor();
  await page.getByText('Operator', {exact: false}).first().waitFor();
});

await step('a move of a parcel that has moved in the meantime is not shown as done', async () => {
  await page.getByLabel('Change status').selectOption('in_transit');
  const {shipments} = await call(page, 'GET', `/api/v1/Orders/${orders[0].guid}`);
  await call(page, 'POST', `/api/v1/shipments/${shipments[0].guid}/traces`, {status: 'in_transit', description: 'On its way'});
  const dialog = page.locator('dialog:modal');
  await dialog.getByRole('button', {name: 'Change to “In transit”'}).click();
  await dialog.getByText('the parcel has changed in the meantime').waitFor();
  await dialog.getByRole('button', {name: 'Cancel'}).click();
});

await step('the automation tab says why a workflow did not run', async () => {
  await page.goto(`${root}orders/${orders[0].guid}/automation`);
  const workflow = page.locator('details', {hasText: `Large orders ${run}`});
  await workflow.getByText('A condition did not hold.').waitFor();
  await workflow.locator('summary').click();
  await workflow.getByText('any of').waitFor();
  await workflow.getByLabel('does not hold').first().waitFor();
});

await step('an order that leaves a filtered list is not shown as what it was, and is not selected any more', async () => {
  const tag = `${run}-left`;
  const made = [];
  for (const sku of ['D', 'E']) {
    const items = [{description: `Item ${sku}`, sku: `${run}-${sku}`, quantity: 1, price: 10}];
    made.push(await call(page, 'POST', '/api/v1/Orders', {items, customer: {name: `Cora ${run}`}, deliveryAddress: town, tags: [tag]}));
  }
  await page.goto(`${root}orders?tag=${tag}&status=pending`);
  await page.getByText('2 in total').waitFor();
  await page.getByRole('checkbox', {name: 'Select all rows shown'}).check();
  await page.getByText('2 selected').waitFor();
  await call(page, 'PATCH', `/api/v1/Orders/${made[0].guid}/status`, {status: 'cancelled'});
  const row = page.locator('tr', {hasText: made[0].orderNumber});
  await row.getByText('no longer in this list').waitFor();
  assert.equal(await row.getByText('Pending').count(), 0);
  await page.getByText('1 selected').waitFor();
  assert.equal(await page.getByRole('button', {name: /^↑/}).count(), 0);
  await button('1 no longer in this list').click();
  await row.waitFor({state: 'detached'});
  await page.getByText('1 in total').waitFor();
});

await step('a name from outside stays text', async () => {
  await page.goto(`${root}customers/${customer.guid}`);
  await page.getByRole('heading', {name: evil}).waitFor();
  assert.equal(await page.evaluate(() => window.broken), undefined);
});

await step('a file with bad lines is refused with them, and a repaired one is previewed and taken over', async () => {
  await page.goto(`${root}customers/upload`);
  const upload = (text) => {
    const file = {name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(`name,email\n${text}`)};
    return page.locator('input[type=file]').setInputFiles(file);
  };
  await upload(`Ada,ada-${run}@example.org\n,nobody-${run}@example.org\n`);
  await page.getByText('line 3').waitFor();
  await upload(`Ada,ada-${run}@example.org\nBea,${run}@example.org\n`);
  await page.getByText('The file creates 1 customer and updates 1').waitFor();
  await page.getByRole('cell', {name: 'Bea', exact: true}).waitFor();
  await button('Take over 2 customers').click();
  await page.getByText('All customers are taken over.').waitFor();
  await page.goto(`${root}jobs`);
  await page.getByRole('row').filter({hasText: 'Taking over of uploaded customers'}).first().getByText('2 of 2 customers').waitFor();
  await page.getByRole('row').filter({hasText: 'Reading of an uploaded file'}).first().waitFor();
});

await step('a person with more records than a search shows is found, by the name and by its beginning', async () => {
  const {guid} = await call(page, 'POST', '/api/v1/Customers', {name: `Grete ${run}`});
  for (let count = 0; count < 21; ++count) {
    const items = [{description: 'Item', quantity: 1, price: 1}];
    await call(page, 'POST', '/api/v1/Orders', {items, customerId: guid, deliveryAddress: {name: `Grete ${run}`, ...town}});
  }
  for (const text of [`grete ${run}`, `${run.slice(0, 5)} gret`]) {
    await page.goto(`${root}search?q=${text}`);
    await page.getByRole('link', {name: `Customer Grete ${run}`}).waitFor();
    await page.getByText('At most 20 are shown.').waitFor();
    await page.goto(`${root}messages?q=${text}`);
    await page.getByRole('link', {name: `Customer Grete ${run}`}).click();
    await page.waitForURL((url) => url.searchParams.get('customerId') === guid);
  }
});

await step('the value of a customer names each currency', async () => {
  const {guid} = await call(page, 'POST', '/api/v1/Customers', {name: `Kei ${run}`});
  for (const [currency, price] of [['JPY', 1000], ['USD', 10]]) {
    const items = [{description: 'Item', quantity: 1, price}];
    await call(page, 'POST', '/api/v1/Orders', {items, currency, customerId: guid, deliveryAddress: town});
  }
  await page.goto(`${root}customers/${guid}`);
  await page.locator('dd', {hasText: '¥1,000'}).filter({hasText: '$10.00'}).waitFor();
});

await step('a number and a SKU are not broken in a narrow table, which does not scroll sideways', async () => {
  const sku = `S-${run}`;
  await call(page, 'POST', '/api/v1/Products', {name: `Long${run}`.repeat(12), sku, price: 1234567.89});
  await page.setViewportSize({width: 320, height: 700});
  await page.goto(`${root}products?q=${sku}`);
  for (const name of [/1,234,567/, sku]) {
    const cell = page.getByRole('cell', {name});
    await cell.waitFor();
    const lines = await cell.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size;
    });
    assert.equal(lines, 1, `lines of ${name}`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.setViewportSize({width: 1280, height: 900});
});

await step('the data of a person is exported as a file', async () => {
  await page.goto(`${root}customers/${customer.guid}`);
  await button('Export data').click();
  const dialog = page.getByRole('dialog', {name: 'Export everything about'});
  const file = await saved(page, () => dialog.getByRole('button', {name: 'Export data'}).click(), /^customer-.*\.json$/);
  assert.equal(JSON.parse(file.toString()).orders.length, 3);
  await dialog.getByRole('button', {name: 'Close'}).click();
});

await step('an erasure says what it covers, needs the name, and is made', async () => {
  await button('Erase person').click();
  const dialog = page.getByRole('dialog', {name: 'Erase Bea?'});
  await dialog.getByText('in 3 orders and 3 parcels').waitFor();
  const erase = dialog.getByRole('button', {name: 'Erase person'});
  assert.ok(await erase.isDisabled());
  await dialog.getByRole('textbox').fill('Bea');
  await erase.click();
  await dialog.getByText('Erased in 3 orders').waitFor();
  await dialog.getByRole('button', {name: 'Close'}).click();
  await page.getByRole('heading', {name: 'Erased', exact: true}).waitFor();
});

await step('a viewer is offered no change', async () => {
  const viewer = await person(viewerLink);
  await viewer.goto(`${root}orders?tag=${run}`);
  await viewer.getByText('3 in total').waitFor();
  assert.equal(await viewer.getByRole('checkbox').count(), 0);
  await viewer.goto(`${root}orders/${orders[1].guid}`);
  await viewer.getByRole('heading', {name: 'Items'}).waitFor();
  assert.equal(await viewer.getByLabel('Change status').count(), 0);
  await viewer.goto(`${root}customers/${customer.guid}`);
  await viewer.getByRole('heading', {name: 'Erased', exact: true}).waitFor();
  assert.equal(await viewer.getByRole('button', {name: 'Erase person'}).count(), 0);
  await viewer.goto(`${root}customers`);
  await viewer.getByText('in total').waitFor();
  assert.equal(await viewer.getByRole('link', {name: 'Upload a file'}).count(), 0);
});

await browser.close();
