// An operator opens the page for operators, finds the worker that lags and the business that fills the queue, and prints
// both. The page is the same in both themes and fits a screen of 320 px; it reads itself again without scripts.
// Usage: node operator.mjs METRICS ; the address of a metrics listener. Exits with 1 at the first step that is not as
// expected.
import assert from 'node:assert/strict';

import {accessibilityFindings, layoutFindings} from '../browser.mjs';
import {launch, step} from './journey.mjs';

const [origin] = process.argv.slice(2);
if (!origin) throw new Error('usage: node operator.mjs METRICS');
const address = new URL('/operator', origin).href;

/** The rows of the table under a heading, each as its texts by the names of the columns. */
async function rowsOf(page, title) {
  const table = page.getByRole('heading', {name: title, exact: true}).locator('xpath=following-sibling::div[1]').getByRole('table');
  const names = await table.getByRole('columnheader').allTextContents();
  const rows = await table.getByRole('row').filter({has: page.getByRole('cell')}).all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole('cell').allTextContents();
      return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
    }),
  );
}

const browser = await launch();
try {
  for (const colorScheme of ['light', 'dark']) {
    await step(`it can be read in the ${colorScheme} theme at 320 px`, async () => {
      const context = await browser.newContext({colorScheme, viewport: {width: 320, height: 640}});
      const page = await context.newPage();
      await page.goto(address);
      const {sure} = await accessibilityFindings(page);
      // The page reads itself again every 5 s: nobody enters anything in it, and it keeps its place.
      assert.deepEqual(sure.filter((finding) => !finding.startsWith('meta-refresh')), []);
      assert.deepEqual(await layoutFindings(page), []);
      await context.close();
    });
  }
  const context = await browser.newContext({javaScriptEnabled: false});
  const page = await context.newPage();
  await page.goto(address);
  await step('the worker that lags is the first one', async () => {
    const [worst, next] = await rowsOf(page, 'Shards and lag');
    assert.ok(Number(worst['Lag, s']) > 60 && Number(next['Lag, s']) < Number(worst['Lag, s']), JSON.stringify([worst, next]));
    console.log(`worker ${worst.Worker}`);
  });
  await step('the business that fills the queue is the first one, by its guid', async () => {
    const [fullest, next] = await rowsOf(page, 'Businesses');
    assert.ok(Number(fullest['Queued, %']) > 50 && Number(next['Queued, %']) < 50, JSON.stringify([fullest, next]));
    assert.match(fullest['First due'], /^20\d\d-/);
    console.log(`business ${fullest.Business}`);
  });
  await step('it reads itself again', async () => {
    const before = await page.getByText('As of').textContent();
    await page.waitForEvent('framenavigated');
    await page.waitForLoadState();
    assert.notEqual(await page.getByText('As of').textContent(), before);
  });
} finally {
  await browser.close();
}
