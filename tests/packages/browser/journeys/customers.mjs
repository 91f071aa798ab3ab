// An operator goes to the content by the keyboard, uploads 100 000 customers with 3 bad lines, reads which, repairs them,
// confirms, sees the progress, and signs out.
// Usage: node customers.mjs LINK ; a one-time link of an operator. Exits with 1 at the first step that is not as expected.
import assert from 'node:assert/strict';

import {call, launch, signedIn, step} from './journey.mjs';

const [link] = process.argv.slice(2);
if (!link) throw new Error('usage: node customers.mjs LINK');
const root = new URL('/console/', link).href;
const count = 100_000;
const run = Date.now().toString(36);

/** The file; the lines of `bad` have an address that is none. Its line 1 is the header. */
function file(bad) {
  const lines = Array.from({length: count}, (_, index) => `Person ${index},p${index}${bad.includes(index + 2) ? '' : '@'}${run}.example.com`);
  return {name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(['name,email', ...lines, ''].join('\n'))};
}

const browser = await launch();
try {
  const page = await signedIn(browser, link);
  const bad = [3, 50_000, 100_001];
  const before = (await call(page, 'GET', '/api/v1/Customers?PageSize=1')).body.totalCount;
  await step('the keyboard skips to the content', async () => {
    await page.goto(`${root}customers/upload`);
    const skip = page.getByRole('link', {name: 'Skip to the content'});
    await skip.waitFor();
    await page.keyboard.press('Tab');
    assert.ok(await skip.evaluate((each) => each === document.activeElement), 'it is the first control');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    assert.equal(page.url(), `${root}customers/upload`);
  });
  await step('three bad lines are named, and nothing is changed', async () => {
    await page.locator('input[type=file]').setInputFiles(file(bad));
    for (const line of bad) await page.getByRole('main').getByText(new RegExp(`\\b${line}\\b`)).first().waitFor();
    assert.equal((await call(page, 'GET', '/api/v1/Customers?PageSize=1')).body.totalCount, before);
  });
  await step('the repaired file is shown before it is confirmed', async () => {
    await page.locator('input[type=file]').setInputFiles(file([]));
    await page.waitForURL(/customers\/upload\/[0-9a-f-]{36}/, {timeout: 90_000});
    await page.getByText(/100,000/).first().waitFor();
  });
  await step('who has left the page finds it by its job', async () => {
    const preview = page.url();
    await page.goto(`${root}jobs`);
    await page.getByRole('row').filter({hasText: 'Done'}).getByRole('link').first().click();
    await page.getByRole('link', {name: 'See what it will change'}).click();
    await page.waitForURL(preview);
  });
  await step('it is confirmed, with progress', async () => {
    await page.getByRole('main').getByRole('button', {name: /100,000/}).click();
    await page.getByRole('progressbar').first().waitFor();
    await page.getByRole('status').getByRole('link', {name: 'Customers'}).waitFor({timeout: 120_000});
    assert.equal((await call(page, 'GET', '/api/v1/Customers?PageSize=1')).body.totalCount, before + count);
  });
  await step('a refusal to sign out is shown, and who is signed out already comes to the sign-in', async () => {
    await page.goto(`${root}search`);
    const signOut = page.getByRole('button', {name: 'Sign out'});
    await page.route('**/api/user/logout', (route) => route.fulfill({status: 500, body: ''}), {times: 1});
    await signOut.click();
    await page.getByRole('navigation', {name: 'Pages'}).getByRole('alert').waitFor();
    assert.equal((await call(page, 'POST', '/api/user/logout')).status, 200);
    await signOut.click();
    await page.getByRole('dialog', {name: 'Sign in'}).waitFor();
  });
} finally {
  await browser.close();
}
