// What a person has entered, begun and found is kept: forms ask before they are left, a change of many records is not
// thrown away by Escape, a step back shows the list as it was, and a tab changes nothing in the business of another tab.
// Usage: node kept.mjs LINK OTHER_LINK ; one-time links (`waybill console-link`) of an admin of two businesses. Exits with
// 1 at the first step that is not as expected.
import assert from 'node:assert/strict';

import {call, launch, newPage, quiet, signedIn, step} from './journey.mjs';

const [link, otherLink] = process.argv.slice(2);
if (!otherLink) throw new Error('usage: node kept.mjs LINK OTHER_LINK');
const root = new URL('/console/', link).href;
/** Makes names of this run its own. */
const run = Date.now().toString(36);
const browser = await launch();

async function made(page, path, body) {
  const answer = await call(page, 'POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data;
}

const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim());
const historyLength = (page) => page.evaluate(() => history.length);

try {
  await step('the sign-in stays, however often Escape is pressed', async () => {
    const page = await newPage(browser);
    await page.goto(root);
    await page.getByLabel('Password').waitFor();
    for (let count = 0; count < 4; count += 1) await page.keyboard.press('Escape');
    await page.getByLabel('Password').fill('still here');
    await page.context().close();
  });

  const page = await signedIn(browser, link);
  const button = (name) => page.getByRole('button', {name, exact: true});
  const question = page.getByRole('dialog', {name: 'Leave without saving?'});

  await step('a typed date is one step of the history, and its first digits are no filter', async () => {
    await page.goto(`${root}runs`);
    const field = page.getByLabel('From');
    await field.waitFor();
    const before = await historyLength(page);
    await field.focus();
    for (const digit of '01012026') await page.keyboard.press(digit);
    await page.waitForURL(/from=2026-01-01/);
    await quiet(page);
    assert.equal(await historyLength(page), before + 1);
    assert.equal(await field.getAttribute('aria-invalid'), 'false');
    await page.goBack();
    await page.waitForURL(/runs$/);
    assert.equal(await field.inputValue(), '');
  });
  await step('a date in the address that the calendar lacks is said, and the last day of the calendar is a filter', async () => {
    for (const list of ['runs', 'audit']) {
      for (const date of ['2026-13-45', '0000-01-01']) {
        await page.goto(`${root}${list}?from=${date}`);
        await page.getByRole('main').getByRole('alert').getByText('from').first().waitFor();
        assert.equal(await page.getByLabel('From').getAttribute('aria-invalid'), 'true');
      }
      await page.goto(`${root}${list}?to=9999-12-31`);
      await page.getByRole('main').getByRole('heading', {level: 1}).waitFor();
      await quiet(page);
      assert.equal(await page.getByRole('main').getByRole('alert').count(), 0);
    }
  });
  await step('a text that is being typed is no filter of the next page', async () => {
    const typing = await page.context().newPage();
    await typing.clock.install();
    await typing.goto(`${root}orders`);
    await typing.getByRole('search', {name: 'Filters of this list'}).getByRole('searchbox').fill('lamp');
    await typing.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Runs'}).click();
    await typing.getByRole('heading', {level: 1, name: 'Runs'}).waitFor();
    await typing.clock.fastForward(1_000);
    assert.equal(typing.url(), `${root}runs`);
    await typing.close();
  });

  await step('a form with changes asks before a link, a step back and the end of the page', async () => {
    await page.goto(`${root}settings/branding`);
    await page.getByRole('link', {name: 'Templates'}).click();
    await page.getByRole('link', {name: 'New template'}).first().click();
    const address = page.url();
    const name = page.getByLabel('Name', {exact: true});
    await name.fill(`Thanks ${run}`);
    await page.getByRole('link', {name: 'Branding'}).click();
    await question.getByRole('button', {name: 'Cancel'}).click();
    await question.waitFor({state: 'detached'});
    assert.equal(page.url(), address);
    await page.goBack();
    await question.getByRole('button', {name: 'Cancel'}).click();
    assert.equal(page.url(), address);
    assert.equal(await name.inputValue(), `Thanks ${run}`);
    const [asked] = await Promise.all([page.waitForEvent('dialog'), page.close({runBeforeUnload: true})]);
    assert.equal(asked.type(), 'beforeunload');
    await asked.dismiss();
    await page.goBack();
    await question.getByRole('button', {name: 'Leave'}).click();
    await page.waitForURL(/settings\/templates$/);
    await page.goForward();
    await page.waitForURL(address);
    assert.equal(await name.inputValue(), '');
    await page.getByRole('link', {name: 'Branding'}).click();
    await page.waitForURL(/settings\/branding$/);
  });
  await step('a drawer asks before Escape loses what was entered, and closes at once if nothing was', async () => {
    await page.goto(`${root}carriers?open=new`);
    const name = page.getByRole('dialog').getByLabel('Name', {exact: true});
    await name.fill('Harbour Express');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({state: 'detached'});
    assert.equal(await name.inputValue(), 'Harbour Express');
    await page.keyboard.press('Escape');
    await question.getByRole('button', {name: 'Leave'}).click();
    await page.waitForURL(/carriers$/);
    await page.goto(`${root}carriers?open=new`);
    await name.waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/carriers$/);
  });
  await step('a form that is saved is left without a question', async () => {
    await page.goto(`${root}settings/branding`);
    await page.getByLabel('Sender', {exact: false}).first().fill(`Harbour ${run}`);
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', {name: 'Templates'}).click();
    await page.waitForURL(/settings\/templates$/);
    assert.equal(await question.count(), 0);
  });

  const customers = [];
  for (let count = 0; count < 70; count += 1) customers.push(await made(page, '/api/v1/Customers', {name: `Kept ${run} ${count}`}));
  await step('the focus returns to the button of a dialog that a button closes', async () => {
    await page.goto(`${root}customers/${customers[0].guid}`);
    await button('Export data').press('Enter');
    await page.locator('dialog:modal').getByRole('button', {name: 'Cancel'}).press('Enter');
    await page.locator('dialog:modal').waitFor({state: 'detached'});
    assert.equal(await focused(page), 'Export data');
    const template = {code: `kept-${run}`, name: 'Kept', entityType: 'Order', type: 'webhook', body: '{}'};
    const {guid} = await made(page, '/api/workflows/templates', template);
    await page.goto(`${root}settings/templates/${guid}`);
    const opener = page.getByRole('button', {name: /^Delete/});
    await opener.press('Enter');
    await page.locator('dialog:modal').getByRole('button', {name: 'Cancel'}).press('Enter');
    await page.locator('dialog:modal').waitFor({state: 'detached'});
    assert.match(await focused(page), /^Delete/);
  });
  await step('a step back shows as many rows as before, where they were', async () => {
    await page.goto(`${root}customers?q=${run}`);
    await page.getByRole('button', {name: 'Show more'}).click();
    const rows = page.locator('tbody a[data-row]');
    await rows.nth(69).waitFor();
    await rows.nth(60).scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 200, `the list is short: ${before}`);
    await rows.nth(60).click();
    await page.waitForURL(/customers\/[0-9a-f]{8}-/);
    await page.getByRole('heading', {name: `Kept ${run}`}).waitFor();
    await page.goBack();
    await rows.nth(69).waitFor();
    await page.waitForFunction((before) => Math.abs(scrollY - before) < 100, before);
  });

  await step('Escape and a step back leave a change of many records alone, and what is left is said', async () => {
    for (let count = 0; count < 12; count += 1) {
      const items = [{description: 'Lamp', sku: `${run}-${count}`, quantity: 1, price: 10}];
      const deliveryAddress = {name: 'Ada', street: 'Main Street 1', city: 'Berlin', postalCode: '10115', country: 'DE'};
      await made(page, '/api/v1/Orders', {customerId: customers[0].guid, items, deliveryAddress, tags: [run]});
    }
    await page.goto(`${root}orders?tag=${run}`);
    await page.getByText('12 in total').waitFor();
    await page.locator('tbody a[data-row]').first().click();
    await page.waitForURL(/open=/);
    await page.keyboard.press('Escape');
    await page.waitForURL(/orders\?tag=[^&]*$/);
    const address = page.url();
    await page.getByRole('checkbox', {name: 'Select all rows shown'}).check();
    await button('Make parcels').click();
    const held = [];
    let begun;
    const fourBegun = new Promise((resolve) => (begun = resolve));
    const hold = (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      held.push(route);
      if (held.length === 4) begun();
    };
    await page.route('**/api/**', hold);
    const dialog = page.getByRole('dialog', {name: 'Make parcels of 12 orders?'});
    await dialog.getByRole('button', {name: 'Make parcels'}).click();
    await fourBegun;
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Escape');
    await page.evaluate(() => new Promise((resolve) => {
      // One step back, and the one that takes it back.
      let steps = 0;
      addEventListener('popstate', () => (steps += 1) === 2 && resolve());
      history.back();
    }));
    assert.equal(page.url(), address);
    await dialog.getByRole('button', {name: 'Stop'}).click();
    for (const route of held.splice(0)) await route.continue();
    await dialog.getByText('4 done.').waitFor();
    await page.unroute('**/api/**', hold);
    await dialog.getByText('8 left.').waitFor();
    await dialog.getByRole('button', {name: 'Try the other 8'}).click();
    await dialog.getByText('12 done.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({state: 'detached'});
  });

  await step('a tab neither changes nor shows the business that another tab has signed in to', async () => {
    await page.goto(`${root}settings/users`);
    const guest = `guest-${run}@example.com`;
    await page.getByLabel('E-mail').fill(guest);
    const other = await page.context().newPage();
    await other.goto(otherLink);
    await other.getByRole('navigation', {name: 'Pages'}).waitFor();
    const {name} = (await call(other, 'GET', '/api/business/my-business')).body.data;
    await page.getByLabel('E-mail').first().evaluate((field) => field.form.requestSubmit());
    await page.getByRole('heading', {name: 'Another tab has signed in somebody else'}).waitFor();
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Escape');
    const users = (await call(other, 'GET', '/api/business/users')).body.data;
    assert.ok(!JSON.stringify(users).includes(guest), 'the guest of one business is invited to the other');
    await page.getByRole('button', {name: 'Reload the page'}).click();
    await page.getByRole('navigation', {name: 'Pages'}).getByText(name).waitFor();
    await page.getByRole('dialog').waitFor({state: 'detached'});
  });
} finally {
  await browser.close();
}
