// Over a link with a round trip of 300 ms and with an empty cache, the first rows of a page wait for at most three
// requests in a row: the page, its files, the API.
// Usage: node first_rows.mjs LINK VIEWER_LINK ; one-time links (`waybill console-link`) of an admin and a viewer. Exits
// with 1 at the first page for which there are more.
import assert from 'node:assert/strict';

import {call, launch, signedIn, step} from './journey.mjs';
import {firstRows} from './slow_link.mjs';

const [link, viewerLink] = process.argv.slice(2);
if (!viewerLink) throw new Error('usage: node first_rows.mjs LINK VIEWER_LINK');
const root = new URL('/console/', link).href;
const row = 'main table tbody tr';
const pages = {
  '': 'main #attention',
  orders: row,
  'orders?status=pending': row,
  shipments: row,
  customers: row,
  products: row,
  workflows: row,
  runs: row,
  events: row,
  pack: row,
  jobs: row,
  audit: row,
  stores: row,
  carriers: row,
  dispatch: row,
  settings: 'main form',
  'settings/branding': 'main form',
  'settings/alerts': 'main form',
  'settings/users': 'main .people li',
  'settings/tokens': row,
  'settings/templates': row,
  editor: 'main .recipe',
};
const most = 3;

const browser = await launch();
try {
  // Texts other than the English ones are a file more.
  const people = [
    {name: 'an admin', locale: 'en-GB', page: await signedIn(browser, link), paths: Object.keys(pages)},
    {name: 'a German viewer', locale: 'de-DE', page: await signedIn(browser, viewerLink), paths: ['', 'orders', 'settings', 'workflows']},
  ];
  people.push({...people[0], name: 'a German admin', locale: 'de-DE', paths: ['editor']});
  const {workflows} = (await call(people[0].page, 'GET', '/api/workflows/overview')).body.data;
  const workflow = `editor/${workflows[0].guid}`;
  pages[workflow] = '#steps ~ ol li';
  people[0].paths.push(workflow);
  for (const {name, locale, page, paths} of people) {
    const storageState = await page.context().storageState();
    // The choices of the browser are those of a person who opens the console for the first time.
    storageState.origins = [];
    for (const path of paths) {
      await step(`/console/${path} has its first rows for ${name} after at most ${most} requests in a row`, async () => {
        // A busy machine can send a call after the end of another one that it does not need, but not each time.
        let inARow = Infinity, asked = [];
        for (let times = 0; inARow > most && times < 3; times += 1) {
          const context = await browser.newContext({storageState, locale});
          ({inARow, paths: asked} = await firstRows(context, root + path, pages[path]));
          await context.close();
        }
        assert.ok(inARow <= most, `${inARow} in a row: ${asked.join(', ')}`);
      });
    }
  }
} finally {
  await browser.close();
}
