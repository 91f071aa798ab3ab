// Opens pages of the console in Chromium and prints the faults that it finds: findings of axe-core, messages of the
// console, violations of the content policy, requests to other origins, dialogs (a script of somebody else's text has
// run), and content that is wider than the screen. Each page is loaded light and in German with the size of a small
// phone, and shown dark and in English with the size of a desktop, where the console goes to it from the page before.
// Usage: node console.mjs LINK PATH... ; LINK is a one-time link to the console, PATH a path below /console/, in which
// `open=*` opens the first row of the list. The exit status is 1 if there are findings.
import {
  accessibilityFindings, countCalls, launch, layoutFindings, quiet, show, violations, watchPolicy,
} from './browser.mjs';

const screens = [
  { name: 'phone', loads: true, locale: 'de-DE', colorScheme: 'light', viewport: { width: 320, height: 740 } },
  { name: 'desktop', loads: false, locale: 'en-GB', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
];

async function load(page, url) {
  const response = await page.goto(url, { timeout: 90_000 });
  await quiet(page);
  return response.status();
}

// Returns a function that opens an address and returns its findings. All addresses are opened in one tab: a new one would
// start a process.
async function checker(context, loads) {
  let found = [];
  let origin;
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    found.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const requested = new URL(request.url());
    if (!['data:', 'blob:'].includes(requested.protocol) && requested.origin !== origin) found.push(`a request to ${request.url()}`);
  });
  await watchPolicy(page);
  countCalls(page);
  let isLoaded = false;
  return async (url) => {
    found = [];
    origin = new URL(url).origin;
    if (loads || !isLoaded) {
      const status = await load(page, url);
      if (status !== 200) found.push(`status: ${status}`);
      isLoaded = true;
    } else {
      await show(page, url);
    }
    if ((await page.locator('main').count()) === 0) found.push('it shows no page');
    found.push(...(await violations(page)), ...(await layoutFindings(page)));
    // Scrolling uncovers the targets under a bar that stays in sight.
    const { sure } = await accessibilityFindings(page);
    return [...found, ...sure.filter((finding) => !finding.includes('partially obscured'))];
  };
}

// The address with the guid of the first row of the list for `open=*`.
async function withRow(page, url) {
  if (!url.includes('open=*')) return url;
  await show(page, url.replace('open=*', ''));
  return url.replace('open=*', `open=${await page.locator('tbody a[data-row]').first().getAttribute('data-row')}`);
}

// The choices of the browser that made the session would hide the language of the screen.
function withoutChoices(state) {
  return { ...state, origins: [] };
}

// Prints the findings of all pages on one screen; returns their number.
async function checkAll(browser, storageState, urls, { name, loads, locale, colorScheme, viewport }) {
  const context = await browser.newContext({ storageState: withoutChoices(storageState), viewport, colorScheme, locale });
  const check = await checker(context, loads);
  let count = 0;
  for (const url of urls) {
    for (const finding of await check(url)) {
      count += 1;
      console.log(`${url} (${name}, ${colorScheme}): ${finding}`);
    }
  }
  return count;
}

const [link, ...paths] = process.argv.slice(2);
if (paths.length === 0) throw new Error('usage: node console.mjs LINK PATH...');
const urls = paths.map((path) => new URL(path, new URL('/console/', link)).href);
const browser = await launch();
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  countCalls(page);
  await load(page, link);
  if (page.url().includes('#')) throw new Error('the link stays in the address');
  const opened = [];
  for (const url of urls) opened.push(await withRow(page, url));
  const state = await context.storageState();
  const counts = await Promise.all(screens.map((screen) => checkAll(browser, state, opened, screen)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  console.log(`${urls.length} pages, ${count} findings`);
  process.exitCode = count === 0 ? 0 : 1;
} finally {
  await browser.close();
}
