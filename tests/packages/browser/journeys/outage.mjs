// The service is killed while a form is half filled: the page says so and recovers by itself, and the form is saved once.
// Usage: node outage.mjs LINK ; a one-time link (`waybill console-link`) of an admin. Whoever starts it kills the service
// at the line "kill the service", and starts it again, with the same address, at the line "start the service". Exits
// with 1 at the first step that is not as expected.
import assert from 'node:assert/strict';

import {call, launch, signedIn, step} from './journey.mjs';

const [link] = process.argv.slice(2);
if (!link) throw new Error('usage: node outage.mjs LINK');
const root = new URL('/console/', link).href;

/** Waits until the service has gone. */
async function gone() {
  for (;;) {
    const answer = await fetch(new URL('/healthz', link)).catch(() => null);
    if (!answer) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const browser = await launch();
try {
  const admin = await signedIn(browser, link);
  const name = admin.getByLabel('Name', {exact: true});
  const code = admin.getByLabel(/^Code/);
  const save = admin.getByRole('button', {name: 'New carrier'});
  const away = admin.locator('p[role=alert]').filter({hasText: 'The service does not answer.'});
  await step('a form is half filled', async () => {
    await admin.goto(`${root}carriers?open=new`);
    await name.fill('Harbour Express');
  });
  console.log('kill the service');
  await gone();
  await step('a call without an answer is shown, and the form stays', async () => {
    await code.fill('harbour-express');
    await save.click();
    await away.waitFor();
    assert.deepEqual([await name.inputValue(), await code.inputValue()], ['Harbour Express', 'harbour-express']);
  });
  console.log('start the service');
  await step('the page recovers by itself, and the form is saved once', async () => {
    await away.waitFor({state: 'detached'});
    assert.deepEqual([await name.inputValue(), await code.inputValue()], ['Harbour Express', 'harbour-express']);
    await save.click();
    await admin.waitForURL(/open=[0-9a-f]{8}-/);
    const carriers = (await call(admin, 'GET', '/api/carriers')).body.data;
    assert.equal(carriers.filter((carrier) => carrier.code === 'harbour-express').length, 1);
  });
} finally {
  await browser.close();
}
