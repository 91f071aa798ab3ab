// Measures the console as Chromium shows it: console.mjs ROUNDS LINK ORDER_NUMBER ; LINK is a one-time link
// (`waybill console-link`). Prints lines "NAME MILLISECONDS", and for the requests in a row "NAME NUMBER".
//
// Kept pages: the time from a click until the rows are painted, of orders and runs, and of a search for one order. Slow
// link: a round trip takes 300 ms; the time from the address until the first rows, with an empty cache and with a full one,
// and the requests that waited for each other.
import {launch, signedIn} from '../tests/packages/browser/journeys/journey.mjs';
import {firstRows} from '../tests/packages/browser/journeys/slow_link.mjs';

const [rounds, link, orderNumber] = process.argv.slice(2);
if (!orderNumber) throw new Error('usage: console.mjs ROUNDS LINK ORDER_NUMBER');
const row = 'main table tbody tr';

const print = (name, value) => console.log(`${name} ${Math.round(value * 10) / 10}`);

/** The time from `act` in the page until `selector` is painted. */
async function timed(page, selector, act, argument) {
  const began = await page.evaluateHandle(
    ([selector]) => {
      const state = {};
      state.painted = new Promise((resolve) => {
        const look = () => {
          if (state.start === undefined || !document.querySelector(selector)) return requestAnimationFrame(look);
          requestAnimationFrame(() => resolve(performance.now() - state.start));
        };
        look();
      });
      return state;
    },
    [selector],
  );
  await page.evaluate(
    ([state, act, argument]) => {
      state.start = performance.now();
      if (act === 'click') document.querySelector(argument).click();
      else document.querySelector('form[role=search]').requestSubmit();
    },
    [began, act, argument],
  );
  return page.evaluate((state) => state.painted, began);
}

const browser = await launch();
try {
  const page = await signedIn(browser, link);
  for (let round = 0; round < Number(rounds); ++round) {
    for (const name of ['orders', 'runs']) {
      await page.goto(new URL('/console/settings', link).href);
      await page.getByRole('navigation', {name: 'Pages'}).waitFor();
      await page.waitForLoadState('networkidle');
      print(`${name}_rows`, await timed(page, row, 'click', `nav a[href$="/console/${name}"]`));
    }
    await page.goto(new URL('/console/search', link).href);
    await page.waitForLoadState('networkidle');
    await page.locator('form[role=search] input').fill(orderNumber);
    print('search', await timed(page, 'main li a', 'search'));
  }
  for (let round = 0; round < Number(rounds); ++round) {
    const state = await page.context().storageState();
    const fresh = await browser.newContext({storageState: state});
    const address = new URL('/console/orders', link).href;
    const empty = await firstRows(fresh, address, row);
    const full = await firstRows(fresh, address, row);
    print('slow_empty', empty.took);
    print('slow_full', full.took);
    print('slow_in_a_row', empty.inARow);
    await fresh.close();
  }
} finally {
  await browser.close();
}
