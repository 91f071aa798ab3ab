// What the journeys share: a browser, the pages of people, and steps that are printed.
import assert from 'node:assert/strict';

import {countCalls} from '../browser.mjs';

export {launch, quiet} from '../browser.mjs';

/** A page of a person of its own. An error in the page ends the journey. */
export async function newPage(browser) {
  const context = await browser.newContext({locale: 'en-GB', viewport: {width: 1280, height: 900}});
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  countCalls(page);
  page.on('pageerror', (error) => assert.fail(`error in the page: ${error.message}`));
  return page;
}

/** A page that is signed in by a one-time link. */
export async function signedIn(browser, link) {
  const page = await newPage(browser);
  await page.goto(link);
  await page.getByRole('navigation', {name: 'Pages'}).waitFor();
  return page;
}

/** Does one step and prints its title. */
export async function step(title, work) {
  await work();
  console.log(`ok: ${title}`);
}

/** A call of the API with the session of the page; returns its status and its body. */
export function call(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const headers = {'X-Waybill-Console': '1', 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID()};
      const answer = await fetch(path, {method, headers, ...(body && {body: JSON.stringify(body)})});
      return {status: answer.status, body: await answer.json().catch(() => null)};
    },
    [method, path, body],
  );
}
