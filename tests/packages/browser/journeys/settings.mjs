// An admin follows the first steps, invites a person twice, makes, uses and revokes a token, edits a template and sees it for a
// record; a store that does not answer is refused at its field; a run is no test that a person has sent; a change of
// somebody else is not lost; a viewer is offered no change.
// Usage: node settings.mjs LINK VIEWER_LINK ; one-time links (`waybill console-link`) of a business with an
// order, the first of an admin, and the second of a viewer. Exits with 1 at the first step that is not as expected.
import assert from 'node:assert/strict';

import {call, launch, quiet, signedIn, step} from './journey.mjs';

const [link, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node settings.mjs LINK VIEWER_LINK');
const root = new URL('/console/', link).href;
/** Makes names and addresses of this run its own. */
const run = Date.now().toString(36);

/** Waits until a control is marked as refused, with the reason under it. */
async function refused(control) {
  await control.and(control.page().locator('[aria-invalid=true]')).waitFor();
  const reason = await control.getAttribute('aria-describedby');
  assert.notEqual(await control.page().locator(`#${reason}`).innerText(), '');
}

const browser = await launch();
try {
  const admin = await signedIn(browser, link);
  await step('the first steps lead to the form of a store', async () => {
    await admin.getByRole('heading', {name: 'First steps'}).waitFor();
    await admin.getByRole('link', {name: /Connect a store/}).click();
    await admin.getByRole('button', {name: 'Test and connect'}).waitFor();
  });
  await step('a store that does not answer is refused, and what was entered stays', async () => {
    await admin.getByLabel('Kind of store').selectOption('woocommerce');
    await admin.getByLabel('Address of the store').fill('http://127.0.0.1:1');
    await admin.getByLabel('Consumer key').fill('ck_1');
    await admin.getByLabel('Consumer secret').fill('cs_1');
    await admin.getByRole('button', {name: 'Test and connect'}).click();
    await refused(admin.getByLabel('Address of the store'));
    assert.equal(await admin.getByRole('alert').getByText('credentials.storeUrl').count(), 0);
    assert.equal(await admin.getByLabel('Consumer key').inputValue(), 'ck_1');
  });
  let order;
  await step('a workflow that came with the business and a run are no steps of the person', async () => {
    await admin.goto(`${root}today`);
    await admin.getByRole('link', {name: /Make a workflow from a recipe/}).waitFor();
    const action = {type: 'update_record', set: {notes: 'seen'}};
    const body = {name: `Seen ${run}`, entityType: 'Order', triggers: ['order_created'], isActive: true, action};
    assert.equal((await call(admin, 'POST', '/api/workflows/configure', body)).status, 201);
    const made = {status: 'draft', customer: {name: 'Grace'}, items: [{description: 'Tea', quantity: 1, price: 3}]};
    order = (await call(admin, 'POST', '/api/v1/Orders', made)).body.data.guid;
    await admin.goto(`${root}runs?entityId=${order}`);
    await admin.getByRole('row').filter({hasText: `Seen ${run}`}).waitFor();
    await admin.goto(`${root}today`);
    await admin.getByText('Make a workflow from a recipe (done)').waitFor();
    await admin.getByRole('link', {name: /Send a test/}).waitFor();
  });
  await step('a test sends the first step that can be sent, and is the step of the person', async () => {
    const steps = [{type: 'wait', delay: 'PT1H'}, {type: 'webhook', recipient: 'https://hooks.example.com/x'}];
    const body = {name: `Later ${run}`, entityType: 'Order', triggers: ['order_created'], isActive: false, steps};
    const {guid} = (await call(admin, 'POST', '/api/workflows/configure', body)).body.data;
    await admin.goto(`${root}editor/${guid}?record=${order}`);
    await admin.getByRole('button', {name: 'Send a test'}).click();
    await admin.getByRole('dialog').getByRole('button', {name: 'Send a test'}).click();
    await admin.getByRole('dialog').waitFor({state: 'detached'});
    await admin.goto(`${root}today`);
    await admin.getByText('Send a test (done)').waitFor();
  });
  await step('a person is invited as an operator', async () => {
    await admin.goto(`${root}settings/users`);
    await admin.getByLabel('E-mail').fill(`packer-${run}@example.com`);
    await admin.getByRole('button', {name: 'Send the invitation'}).click();
    await admin.getByRole('listitem').filter({hasText: `packer-${run}@example.com`}).getByText('Invited').waitFor();
  });
  await step('an invitation that was not accepted is sent again', async () => {
    const invited = async () => {
      const {data} = (await call(admin, 'GET', '/api/business/users')).body;
      return data.find((each) => each.email === `packer-${run}@example.com`);
    };
    const before = await invited();
    const row = admin.getByRole('listitem').filter({hasText: before.email});
    await row.getByRole('button', {name: 'Invite again'}).click();
    const dialog = admin.locator('dialog:modal');
    await dialog.getByRole('button', {name: 'Invite again'}).click();
    await dialog.waitFor({state: 'detached'});
    await row.getByText('Invited').waitFor();
    const after = await invited();
    assert.notEqual(after.guid, before.guid);
    assert.deepEqual([after.role, after.status], ['operator', 'invited']);
  });
  await step('a token is shown once, used, and revoked', async () => {
    await admin.goto(`${root}settings/tokens`);
    await admin.getByLabel('Name').fill(`Dashboard ${run}`);
    await admin.getByRole('button', {name: 'Make a token'}).click();
    const token = await admin.getByText(/^wb_/).innerText();
    const use = async () =>
      (await fetch(new URL('/api/v1/Orders', link), {headers: {Authorization: `Bearer ${token}`}})).status;
    assert.equal(await use(), 200);
    await admin.reload();
    await admin.getByRole('link', {name: `Dashboard ${run}`}).click();
    assert.equal(await admin.getByText(/^wb_/).count(), 0);
    await admin.getByRole('button', {name: 'Revoke'}).click();
    await admin.getByRole('dialog').filter({hasText: 'cannot be undone'}).getByRole('button', {name: 'Revoke'}).click();
    await admin.getByRole('row').filter({hasText: `Dashboard ${run}`}).getByText('Revoked').waitFor();
    assert.equal(await use(), 401);
  });
  await step('a template is made, and shown for the newest record', async () => {
    await admin.goto(`${root}settings/templates/new`);
    await admin.getByLabel('Name').fill(`Thanks ${run}`);
    await admin.getByLabel('Code').fill(`thanks-${run}`);
    await admin.getByLabel('Subject').fill('Order {{orderNumber}}');
    await admin.getByRole('textbox', {name: 'Text', exact: true}).fill('Thank you for {{orderNumber}}.');
    await admin.getByLabel('HTML').fill('<p>Thank you <script>parent.broken = 1</script></p>');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText(/^Thank you for ORD-\d+\.$/).waitFor();
    await admin.frameLocator('iframe').getByText('Thank you').waitFor();
    assert.equal(await admin.evaluate(() => 'broken' in window), false);
  });
  await step('a draft of a template is shown, and two people who save it keep both texts', async () => {
    const {guid} = (await call(admin, 'GET', '/api/workflows/templates')).body.data.find(({code}) => code === `thanks-${run}`);
    const elsewhere = (change) => call(admin, 'PUT', `/api/workflows/templates/${guid}`, change);
    const saved = async () => (await call(admin, 'GET', `/api/workflows/templates/${guid}`)).body.data;
    const text = admin.getByRole('textbox', {name: 'Text', exact: true});
    await text.fill('Draft of {{orderNumber}}');
    await admin.getByText(/^Draft of ORD-\d+$/).waitFor();
    assert.equal((await saved()).body, 'Thank you for {{orderNumber}}.');
    await elsewhere({subject: 'Theirs'});
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saved.').waitFor();
    assert.equal(await admin.getByLabel('Subject').inputValue(), 'Theirs');
    await elsewhere({body: 'Their text'});
    await text.fill('My text');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saving again replaces theirs').waitFor();
    assert.deepEqual([(await saved()).subject, (await saved()).body], ['Theirs', 'Their text']);
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saved.').waitFor();
    assert.deepEqual([(await saved()).subject, (await saved()).body], ['Theirs', 'My text']);
  });
  await step('a week without working days is refused at the days, and a holiday of somebody else stays', async () => {
    await admin.goto(`${root}settings/calendar`);
    const days = admin.getByRole('group', {name: 'Working days'});
    await days.getByRole('checkbox', {name: 'Sunday'}).waitFor();
    for (const day of await days.getByRole('checkbox').all()) await day.uncheck();
    await admin.getByRole('button', {name: 'Save'}).click();
    await refused(days);
    await admin.getByRole('link', {name: 'Branding'}).click();
    await admin.getByRole('button', {name: 'Leave'}).click();
    await call(admin, 'PUT', '/api/business', {calendar: {holidays: ['2026-12-24']}});
    await admin.getByRole('link', {name: 'Calendar'}).click();
    await admin.getByText('24 December 2026').waitFor();
    await admin.getByLabel('Holiday').fill('2026-12-25');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saved.').waitFor();
    const {calendar} = (await call(admin, 'GET', '/api/business/my-business')).body.data;
    assert.deepEqual(calendar.holidays, ['2026-12-24', '2026-12-25']);
  });
  await step('two people who change different fields keep both', async () => {
    const other = await admin.context().newPage();
    for (const page of [admin, other]) await page.goto(`${root}settings/business`);
    for (const [page, field, value] of [[other, 'Phone', '+49 30 1234'], [admin, 'Name', `Tea ${run}`]]) {
      await page.getByLabel(field, {exact: true}).fill(value);
      await page.getByRole('button', {name: 'Save'}).click();
      await page.getByText('Saved.').waitFor();
    }
    const {name, phone} = (await call(admin, 'GET', '/api/business/my-business')).body.data;
    assert.deepEqual([name, phone], [`Tea ${run}`, '+49 30 1234']);
    await other.close();
  });
  await step('an alert is chosen', async () => {
    await admin.goto(`${root}settings/alerts`);
    await admin.getByLabel('Mails to').fill('operations@example.com');
    await admin.getByRole('button', {name: 'Save'}).click();
    await admin.getByText('Saved.').waitFor();
  });

  const viewer = await signedIn(browser, viewerLink);
  await step('a viewer sees the settings and is offered no change', async () => {
    for (const path of ['stores', 'carriers', 'dispatch', 'settings/business', 'settings/users', 'settings/tokens', 'settings/alerts', 'settings/templates']) {
      await viewer.goto(root + path);
      await viewer.getByRole('main').getByRole('heading', {level: 1}).waitFor();
      await quiet(viewer);
      const changes = viewer.getByRole('main').getByRole('button', {name: /Save|Connect|Make|Send|Invite|Remove|Start|New/});
      assert.equal(await changes.count(), 0, `a change on ${path}`);
    }
    await viewer.goto(`${root}today`);
    await quiet(viewer);
    assert.equal(await viewer.getByRole('heading', {name: 'First steps'}).count(), 0);
  });
} finally {
  await browser.close();
}
