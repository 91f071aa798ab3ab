// Opens pages in Chromium and prints what is wrong with them: findings of axe-core, messages of the console (a refused
// style or image is one), scripts, and content that is wider than the screen. Each page is opened with the size of a
// phone and of a desktop, light and dark. Usage: node check.mjs URL... ; the exit status is 1 if there are findings.
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const chromiumOptions = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

async function findings(page, url, axe) {
  const found = [];
  const origin = new URL(url).origin;
  page.on('console', (message) => {
    // Chromium reports the 404 of the page itself, too, and the icon that it asks every site for.
    const source = message.location().url;
    if (source !== url && !source.endsWith('/favicon.ico')) found.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  const response = await page.goto(url, { waitUntil: 'load' });
  if (![200, 404].includes(response.status())) found.push(`status: ${response.status()}`);
  // The page's policy forbids script elements, but not what the driver evaluates.
  const wrong = await page.evaluate(() => [
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
  // Axe could not decide; on this page that means contrast over an image, which the design does not have.
  for (const { id, nodes } of result.incomplete) {
    for (const node of nodes) found.push(`${id} is undecided: ${node.html} ${node.any.map(({ message }) => message)}`);
  }
  const foreign = result.url.startsWith(origin) ? [] : [`it led to ${result.url}`];
  return found.concat(foreign);
}

const urls = process.argv.slice(2);
if (urls.length === 0) throw new Error('usage: node check.mjs URL...');
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
let count = 0;
try {
  for (const [name, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await chromium.launchPersistentContext(join(profile, name + colorScheme), {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        headless: true, args: chromiumOptions, viewport, colorScheme, ignoreHTTPSErrors: true,
      });
      for (const url of urls) {
        const page = await context.newPage();
        for (const finding of await findings(page, url, axe)) {
          count += 1;
          console.log(`${url} (${name}, ${colorScheme}): ${finding}`);
        }
        await page.close();
      }
      await context.close();
    }
  }
} finally {
  await rm(profile, { recursive: true, force: true });
}
console.log(`${urls.length} pages, ${count} findings`);
process.exitCode = count === 0 ? 0 : 1;
