// Opens pages in Chromium and prints the faults that it finds: findings of axe-core, messages of the console, violations
// of the page's own Content-Security-Policy, scripts, and content that is wider than the screen. Each page is opened
// light with the size of a phone, and dark with the size of a desktop.
// Usage: node check.mjs URL... ; the exit status is 1 if there are findings.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const screens = [
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'desktop', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
];
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const chromiumOptions = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

async function findings(page, url, axe) {
  const found = [];
  page.on('console', (message) => {
    // Chromium reports the 404 of the page itself, too, and the icon that it asks every site for.
    const source = message.location().url;
    if (source !== url && !source.endsWith('/favicon.ico')) found.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`the policy refuses ${event.blockedURI} by ${event.violatedDirective}`);
    });
  });
  const response = await page.goto(url, { waitUntil: 'load' });
  if (![200, 404].includes(response.status())) found.push(`status: ${response.status()}`);
  // The page's policy forbids script elements, but not what the driver evaluates.
  const wrong = await page.evaluate(() => [
    ...window.violations,
    ...(document.scripts.length > 0 ? ['it has a script'] : []),
    ...(document.documentElement.scrollWidth > innerWidth ? ['it is wider than the screen'] : []),
    ...(document.title === '' ? ['it has no title'] : []),
    ...(getComputedStyle(document.body).marginTop !== '0px' ? ['its style is not applied'] : []),
  ]);
  found.push(...wrong);
  await page.evaluate(axe);
  const result = await page.evaluate((values) => window.axe.run({ runOnly: { type: 'tag', values } }), tags);
  for (const { id, help, nodes } of result.violations) {
    for (const node of nodes) found.push(`${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`);
  }
  // Axe cannot decide on text over images or gradients. The design has none.
  for (const { id, nodes } of result.incomplete) {
    for (const node of nodes) found.push(`${id} is undecided: ${node.html} ${node.any.map(({ message }) => message)}`);
  }
  return found;
}

// Prints the findings of all pages on one screen; returns their number.
async function checkAll(browser, urls, { name, colorScheme, viewport }, axe) {
  const context = await browser.newContext({ viewport, colorScheme });
  let count = 0;
  for (const url of urls) {
    const page = await context.newPage();
    for (const finding of await findings(page, url, axe)) {
      count += 1;
      console.log(`${url} (${name}, ${colorScheme}): ${finding}`);
    }
    await page.close();
  }
  return count;
}

const urls = process.argv.slice(2);
if (urls.length === 0) throw new Error('usage: node check.mjs URL...');
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// The browser gets a new profile.
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: chromiumOptions,
});
try {
  const counts = await Promise.all(screens.map((screen) => checkAll(browser, urls, screen, axe)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  console.log(`${urls.length} pages, ${count} findings`);
  process.exitCode = count === 0 ? 0 : 1;
} finally {
  await browser.close();
}
