// An admin maps the shipping methods of a store to services, and is told at the field which one is not accepted; sets the
// defaults of orders; gives a webhook a new secret where its destination is shown; a mailed link opens an event and a
// change that are far down in their lists; a viewer sees the same and is offered no change; a disabled store keeps its
// settings for its new keys; a purchase of a label is withdrawn.
// Usage: node stores.mjs LINK VIEWER_LINK ; one-time links (`waybill console-link`) of a business with a store and a
// requested purchase, the first of an admin, and the second of a viewer. Exits with 1 at the first step that is not as
// expected.
import assert from 'node:assert/strict';

import {call, launch, quiet, signedIn, step} from './journey.mjs';

const [link, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node stores.mjs LINK VIEWER_LINK');
const root = new URL('/console/', link).href;

const browser = await launch();
try {
  const admin = await signedIn(browser, link);
  const [store] = (await call(admin, 'GET', '/api/integrations/configured')).body.data;
  const mapping = async () => (await call(admin, 'GET', '/api/integrations/configured')).body.data[0].settings.serviceMapping;
  await step('a shipping method gets a service, and a line without one is refused at its field', async () => {
    const before = await mapping();
    await admin.goto(`${root}stores?open=${store.guid}`);
    await admin.getByRole('button', {name: 'Add a line'}).click();
    const line = before.length;
    const field = (name) => admin.locator(`[name="settings.serviceMapping[${line}].${name}"]`);
    await field('method').fill('Overnight*');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.locator('.refused').first().waitFor();
    await field('serviceLevel').fill('express');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.locator('.refused').first().waitFor({state: 'detached'});
    await admin.getByRole('dialog').getByLabel('Method of the checkout').nth(line).waitFor();
    await quiet(admin);
    assert.deepEqual((await mapping())[line], {method: 'Overnight*', carrierId: null, serviceLevel: 'express'});
  });
  await step('only the default that is changed is set', async () => {
    await call(admin, 'PUT', '/api/business/default-configuration', {defaultServiceLevel: 'express'});
    await admin.goto(`${root}settings/defaults`);
    await admin.getByLabel('Service level').fill('sameday');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saved.').waitFor();
    const [{changes}] = (await call(admin, 'GET', '/api/business/audit?PageSize=1')).body.data;
    assert.deepEqual(Object.keys(changes), ['defaultServiceLevel']);
  });
  await step('a webhook gets a new secret at its destination, which says how long the old one signs', async () => {
    const action = {type: 'webhook', recipient: 'https://hooks.invalid/x'};
    const hook = {name: 'Hook', entityType: 'Order', triggers: ['order_created'], isActive: true, action};
    assert.equal((await call(admin, 'POST', '/api/workflows/configure', hook)).status, 201);
    const order = {status: 'draft', customer: {name: 'Grace'}, items: [{description: 'Tea', quantity: 1, price: 3}]};
    assert.equal((await call(admin, 'POST', '/api/v1/Orders', order)).status, 201);
    await admin.goto(`${root}destinations`);
    await admin.getByRole('link', {name: /hooks\.invalid/}).click();
    const destination = admin.getByRole('dialog', {name: 'Destination'});
    await destination.getByRole('button', {name: 'New secret'}).first().click();
    await admin.locator('dialog:modal').getByRole('button', {name: 'New secret'}).click();
    await destination.getByText(/^whsec_/).waitFor();
    await destination.getByText(/signs from now on.*until/).waitFor();
  });
  await step('a link opens an event and a change that are far down in their lists', async () => {
    for (let index = 0; index < 110; ++index) await call(admin, 'POST', '/api/v1/Customers', {name: `Person ${index}`});
    const event = (await call(admin, 'GET', '/api/events?before=&limit=110')).body.data.at(-1);
    await admin.goto(`${root}events?open=${event.eventId}`);
    await admin.getByRole('dialog', {name: 'Event'}).getByText(event.entityId).first().waitFor();
    for (let index = 0; index < 55; ++index) await call(admin, 'PUT', '/api/business', {phone: `+49 40 ${index}`});
    const [change] = (await call(admin, 'GET', '/api/business/audit?PageSize=1&Page=55')).body.data;
    await admin.goto(`${root}audit?open=${change.guid}`);
    await admin.getByRole('dialog').getByText(change.requestId).waitFor();
    await admin.goto(`${root}audit?open=00000000-0000-4000-8000-000000000000`);
    await admin.getByRole('dialog').getByText('This is not in the list').waitFor();
  });

  const [purchase] = (await call(admin, 'GET', '/api/v1/purchases?status=requested')).body.data;
  const parcel = `shipments/${purchase.shipmentId}`;
  const viewer = await signedIn(browser, viewerLink);
  await step('a viewer is offered no change', async () => {
    for (const path of [`stores?open=${store.guid}`, 'settings/defaults', 'customers/upload', parcel]) {
      await viewer.goto(root + path);
      await quiet(viewer);
      const changes = viewer.getByRole('main').getByRole('button', {name: /Save|Add a line|Import|Remove|Withdraw/});
      assert.equal(await changes.and(viewer.locator(':enabled')).count(), 0, `a change on ${path}`);
      assert.equal(await viewer.locator('input[type=file]').count(), 0);
    }
  });
  await step('a disabled store gets new keys, and keeps its settings', async () => {
    await call(admin, 'PATCH', `/api/integrations/${store.guid}`, {settings: {autoImportOrders: false, syncProducts: true}});
    await admin.goto(`${root}stores?open=${store.guid}`);
    const drawer = admin.getByRole('dialog', {name: 'Store', exact: true});
    const keys = drawer.getByRole('link', {name: 'Enter new keys'});
    await drawer.getByRole('button', {name: 'Disable'}).waitFor();
    assert.equal(await keys.count(), 0, 'an active store takes no new keys');
    await drawer.getByRole('button', {name: 'Disable'}).click();
    await admin.locator('dialog:modal').getByRole('button', {name: 'Disable'}).click();
    await keys.click();
    const setting = (name) => admin.getByRole('dialog', {name: 'Connect a store'}).getByRole('checkbox', {name});
    await setting('Import products too').and(admin.locator(':checked')).waitFor();
    assert.equal(await setting('Import orders by itself').isChecked(), false);
  });
  await step('a requested purchase is withdrawn, and is offered no more', async () => {
    await admin.goto(root + parcel);
    const offer = admin.getByRole('main').getByRole('button', {name: 'Withdraw purchase'});
    await offer.click();
    await admin.locator('dialog:modal').getByRole('button', {name: 'Withdraw purchase'}).click();
    await admin.locator('.purchase').getByText('Refused', {exact: true}).waitFor();
    await offer.waitFor({state: 'detached'});
    const {body} = await call(admin, 'GET', `/api/v1/shipments/${purchase.shipmentId}/purchases`);
    assert.equal(body.data[0].error.code, 'WITHDRAWN');
  });
} finally {
  await browser.close();
}
