// An operator makes a driver, a vehicle and a route with one parcel, puts a second one on it, takes the first one off,
// changes its time, and starts it; a driver on duty cannot be deleted, a vehicle is changed, a free driver is deleted. A
// viewer reads all of it and is offered no change.
// Usage: node dispatch.mjs OPERATOR VIEWER ; one-time links (`waybill console-link`) of a business. Exits with 1 at the
// first step that is not as expected.
import assert from 'node:assert/strict';

import {call, launch, quiet, signedIn, step} from './journey.mjs';

const [operatorLink, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node dispatch.mjs OPERATOR VIEWER');
const root = new URL('/console/', operatorLink).href;
/** Makes names of this run its own. */
const run = Date.now().toString(36);

async function makeParcel(page, name) {
  const recipient = {name, street: 'Rua 1', city: 'Lisbon', country: 'Portugal'};
  const {status, body} = await call(page, 'POST', '/api/v1/shipments', {recipient, sender: {name: 'Shop', street: 'Rua 2', city: 'Porto'}, packages: [{weight: 1}]});
  assert.equal(status, 201, JSON.stringify(body));
  const {data} = (await call(page, 'GET', `/api/v1/shipments?search=${encodeURIComponent(name)}`)).body;
  return {guid: data[0].guid, number: data[0].trackingNumber};
}

const browser = await launch();
try {
  const page = await signedIn(browser, operatorLink);
  const dialog = page.locator('dialog:modal');
  const drawer = page.locator('dialog[open]').first();
  const confirm = async (name) => {
    await dialog.getByRole('button', {name, exact: true}).click();
    await dialog.waitFor({state: 'detached'});
  };
  const first = await makeParcel(page, `Ada ${run}`);
  const second = await makeParcel(page, `Grace ${run}`);

  await step('two drivers and a vehicle are made', async () => {
    for (const name of [`Dora ${run}`, `Emil ${run}`]) {
      await page.goto(`${root}dispatch/drivers`);
      await page.getByRole('link', {name: 'New driver'}).first().click();
      await page.getByLabel('Name', {exact: true}).fill(name);
      await page.getByLabel(/^Phone/).fill('+351 1');
      await page.getByRole('button', {name: 'Create'}).click();
      await drawer.getByRole('heading', {level: 1, name}).waitFor();
    }
    await page.goto(`${root}dispatch/vehicles?open=new`);
    await page.getByLabel('Name', {exact: true}).fill(`Van ${run}`);
    await page.getByLabel('Number plate').fill(`AA-${run}`);
    await page.getByLabel(/^Most weight/).fill('800,25');
    await page.getByRole('button', {name: 'Create'}).click();
    await drawer.getByRole('heading', {level: 1, name: `Van ${run}`}).waitFor();
    const vehicles = (await call(page, 'GET', '/api/vehicles')).body.data;
    assert.equal(vehicles.find((each) => each.name === `Van ${run}`).capacity.weight, 800.25);
  });
  await step('what is changed twice is changed twice, and nothing else is', async () => {
    for (const status of ['In the workshop', 'Available']) {
      await page.getByLabel('Status').selectOption({label: status});
      await page.getByRole('button', {name: 'Save'}).click();
      await page.getByRole('row').filter({hasText: `AA-${run}`}).getByText(status).waitFor();
    }
    const vehicle = (await call(page, 'GET', '/api/vehicles')).body.data.find((each) => each.name === `Van ${run}`);
    assert.deepEqual([vehicle.status, vehicle.capacity.weight, vehicle.year], ['available', 800.25, null]);
  });

  let route;
  await step('a route is made at the time of the shown zone', async () => {
    await page.goto(`${root}dispatch?open=new`);
    await page.getByLabel('Name', {exact: true}).fill(`Monday ${run}`);
    await page.getByLabel('Planned for').fill('2031-07-07T08:30');
    await page.getByRole('combobox', {name: /^Driver/}).selectOption({label: `Dora ${run}`});
    await page.getByRole('combobox', {name: /^Vehicle/}).selectOption({label: `Van ${run} · AA-${run}`});
    await page.getByLabel('Search parcels').fill(`Ada ${run}`);
    await page.getByRole('checkbox', {name: first.number}).check();
    await page.getByRole('button', {name: 'Save as a draft'}).click();
    await page.waitForURL(/open=[0-9a-f]{8}-/);
    route = new URL(page.url()).searchParams.get('open');
    await drawer.getByRole('link', {name: first.number}).waitFor();
    // The business has no other zone than UTC, which the browser of this journey need not have.
    const {plannedDate} = (await call(page, 'GET', `/api/dispatch/${route}`)).body.data;
    assert.match(plannedDate, /^2031-07-07T08:30/);
  });
  await step('a parcel is put on it, and one is taken off', async () => {
    await drawer.getByRole('button', {name: 'Add parcels'}).click();
    await drawer.getByLabel('Search parcels').fill(run);
    await drawer.getByRole('checkbox', {name: second.number}).check();
    assert.equal(await drawer.getByRole('checkbox', {name: first.number}).count(), 0, 'it is on the route already');
    await drawer.getByRole('button', {name: 'Add parcels'}).last().click();
    await dialog.getByRole('button', {name: 'Add parcels'}).click();
    await dialog.getByText('1 done.').waitFor();
    await page.keyboard.press('Escape');
    await drawer.getByRole('link', {name: second.number}).waitFor();
    await drawer.getByRole('button', {name: `Take off: ${first.number}`}).click();
    await confirm('Take off');
    await drawer.getByRole('link', {name: first.number}).waitFor({state: 'detached'});
    const {shipments} = (await call(page, 'GET', `/api/dispatch/${route}`)).body.data;
    assert.deepEqual(shipments.map((each) => each.guid), [second.guid]);
  });
  await step('its time is changed, and what was not changed stays', async () => {
    await drawer.getByRole('button', {name: 'Change', exact: true}).click();
    assert.equal(await drawer.getByLabel('Planned for').inputValue(), '2031-07-07T08:30');
    await drawer.getByLabel('Planned for').fill('2031-07-07T09:45');
    await drawer.getByRole('button', {name: 'Save'}).click();
    await drawer.getByLabel('Planned for').waitFor({state: 'detached'});
    const {data} = (await call(page, 'GET', `/api/dispatch/${route}`)).body;
    assert.match(data.plannedDate, /^2031-07-07T09:45/);
    assert.equal(data.driver.name, `Dora ${run}`);
  });
  await step('its page is the route in the list, and what does not exist is said once', async () => {
    await page.goto(`${root}dispatch/${route}`);
    await page.waitForURL(`${root}dispatch?open=${route}`);
    await drawer.getByRole('heading', {level: 1, name: `Monday ${run}`}).waitFor();
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const path of [`dispatch?open=${unknown}`, 'dispatch?open=abc', `runs/${unknown}`, 'runs/xyz', 'messages/abc']) {
      await page.goto(root + path);
      await page.getByRole('alert').getByText('There is no such record.').waitFor();
      await quiet(page);
      assert.equal(await page.getByRole('alert').nth(1).count(), 0, `a second error on ${path}`);
      assert.equal(await page.getByText('from the role operator on').count(), 0, path);
    }
    await page.goto(`${root}dispatch?open=${route}`);
    await drawer.getByRole('heading', {level: 1, name: `Monday ${run}`}).waitFor();
  });
  await step('once it has started, parcels and crew are fixed', async () => {
    for (const move of ['Make ready', 'Start']) {
      await drawer.getByRole('button', {name: move}).click();
      await confirm(move);
    }
    await drawer.getByRole('button', {name: 'Complete'}).waitFor();
    for (const name of ['Add parcels', 'Change', 'Delete', /^Take off/])
      assert.equal(await drawer.getByRole('button', {name, exact: true}).count(), 0, `${name} is offered`);
  });
  await step('a driver on duty stays, and one who is free is deleted', async () => {
    await page.goto(`${root}dispatch/drivers`);
    await page.getByRole('link', {name: `Dora ${run}`}).click();
    await drawer.getByRole('button', {name: 'Delete'}).click();
    // The dialog stays while the call is under way, so that the refusal is seen.
    const calls = '**/api/drivers/*';
    const held = new Promise((resolve) => {
      void page.route(calls, (each) => (each.request().method() === 'DELETE' ? resolve(each) : each.continue()));
    });
    await dialog.getByRole('button', {name: 'Delete'}).click();
    const deletion = await held;
    assert.ok(await dialog.getByRole('button', {name: 'Cancel'}).isDisabled(), 'what is sent cannot be cancelled');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await deletion.continue();
    await dialog.getByRole('alert').waitFor();
    await page.unroute(calls);
    await page.keyboard.press('Escape');
    await page.getByRole('link', {name: `Emil ${run}`}).click();
    await drawer.getByRole('heading', {level: 1, name: `Emil ${run}`}).waitFor();
    await drawer.getByRole('button', {name: 'Delete'}).click();
    await confirm('Delete');
    await page.getByRole('row').filter({hasText: `Emil ${run}`}).waitFor({state: 'detached'});
  });

  const viewer = await signedIn(browser, viewerLink);
  await step('a viewer reads all of it and is offered no change', async () => {
    const {data} = (await call(viewer, 'GET', '/api/drivers')).body;
    for (const path of ['dispatch', `dispatch?open=${route}`, 'dispatch/drivers', `dispatch/drivers?open=${data[0].guid}`, 'dispatch/drivers?open=new', 'dispatch/vehicles']) {
      await viewer.goto(root + path);
      await viewer.getByRole('main').getByRole('heading', {level: 1}).first().waitFor();
      await quiet(viewer);
      const changes = viewer.getByRole('main').getByRole('button', {name: /Add|Change|Create|Delete|New|Save|Start|Take off/});
      assert.equal(await changes.count(), 0, `a change on ${path}`);
    }
  });
} finally {
  await browser.close();
}
