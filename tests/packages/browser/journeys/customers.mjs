// An operator uploads 100 000 customers with 3 bad lines, reads which, repairs them, confirms, and sees the progress.
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
  await step('three bad lines are named, and nothing is changed', async () => {
    await page.goto(`${root}customers/upload`);
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
} finally {
  await browser.close();
}
