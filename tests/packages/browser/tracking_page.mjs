// Opens pages in Chromium and prints the faults that it finds: findings of axe-core, messages of the console, violations
// of the page's own Content-Security-Policy, scripts, and content that is wider than the screen. Each page is opened
// light with the size of a phone, and dark with the size of a desktop.
// Usage: node tracking_page.mjs URL... ; the exit status is 1 if there are findings.
import { accessibilityFindings, launch, layoutFindings, violations, watchPolicy } from './browser.mjs';

const screens = [
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'desktop', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
];

// Returns a function that opens an address and returns its findings. All addresses are opened in one tab: a new one would
// start a process.
async function checker(context) {
  let found = [];
  let opened;
  const page = await context.newPage();
  page.on('console', (message) => {
    // Chromium reports the 404 of the page itself, too, and the icon that it asks every site for.
    const source = message.location().url;
    if (source !== opened && !source.endsWith('/favicon.ico')) found.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  await watchPolicy(page);
  return async (url) => {
    found = [];
    opened = url;
    const response = await page.goto(url, { waitUntil: 'load' });
    if (![200, 404].includes(response.status())) found.push(`status: ${response.status()}`);
    // The page's policy forbids script elements, but not what the driver evaluates.
    const wrong = await page.evaluate(() => [
      ...(document.scripts.length > 0 ? ['it has a script'] : []),
      ...(getComputedStyle(document.body).marginTop !== '0px' ? ['its style is not applied'] : []),
    ]);
    found.push(...wrong, ...(await violations(page)), ...(await layoutFindings(page)));
    // Axe cannot decide on text over images or gradients. The design has none.
    const { sure, undecided } = await accessibilityFindings(page);
    return [...found, ...sure, ...undecided];
  };
}

// Prints the findings of all pages on one screen; returns their number.
async function checkAll(browser, urls, { name, colorScheme, viewport }) {
  const context = await browser.newContext({ viewport, colorScheme });
  const check = await checker(context);
  let count = 0;
  for (const url of urls) {
    for (const finding of await check(url)) {
      count += 1;
      console.log(`${url} (${name}, ${colorScheme}): ${finding}`);
    }
  }
  return count;
}

const urls = process.argv.slice(2);
if (urls.length === 0) throw new Error('usage: node tracking_page.mjs URL...');
const browser = await launch();
try {
  const counts = await Promise.all(screens.map((screen) => checkAll(browser, urls, screen)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  console.log(`${urls.length} pages, ${count} findings`);
  process.exitCode = count === 0 ? 0 : 1;
} finally {
  await browser.close();
}
