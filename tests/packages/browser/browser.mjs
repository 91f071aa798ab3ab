// Debian's Chromium with a new profile, and the checks that all pages have in common.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const options = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', headless: true, args: options,
  });
}

// Collects violations of the content policy of each document that the page opens; `violations` returns them.
export async function watchPolicy(page) {
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`the policy refuses ${event.blockedURI} by ${event.violatedDirective}`);
    });
  });
}

// Each violation is returned once.
export function violations(page) {
  return page.evaluate(() => window.violations.splice(0));
}

// The calls under way of each page, and who waits for their end.
const underWay = new WeakMap();

// Counts the calls of a page from now on, for `settled` and `quiet`.
export function countCalls(page) {
  const state = { count: 0, waiting: [] };
  const end = () => {
    state.count -= 1;
    if (state.count === 0) for (const resume of state.waiting.splice(0)) resume();
  };
  page.on('request', () => (state.count += 1));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  underWay.set(page, state);
}

function nextFrames(page, idleMs) {
  return page.evaluate((idleMs) => new Promise((resolve) => {
    const painted = () => (idleMs ? requestIdleCallback(() => setTimeout(resolve, idleMs)) : resolve());
    requestAnimationFrame(() => requestAnimationFrame(painted));
  }), idleMs);
}

async function callsEnd(page) {
  const state = underWay.get(page);
  if (state.count === 0) return false;
  await new Promise((resolve) => state.waiting.push(resolve));
  return true;
}

// Lets what a click began end, and be shown.
export async function settled(page) {
  await nextFrames(page, 0);
  if (await callsEnd(page)) await nextFrames(page, 0);
}

// Waits until the page has made its calls: what one answer shows can begin the next call, before the page is idle.
export async function quiet(page) {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await nextFrames(page, 30);
    if (await callsEnd(page)) rounds = -1;
  }
}

// Shows a place of the console without loading its page again, as a step back of the browser does.
export async function show(page, url) {
  await page.evaluate((url) => {
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
  }, url);
  await quiet(page);
}

// Returns the findings of axe-core on a page: {sure, undecided}, both texts. The nodes that pass are not described, which
// takes most of the time.
export async function accessibilityFindings(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const result = await page.evaluate(async (values) => {
    const resultTypes = ['violations', 'incomplete'];
    const { violations, incomplete } = await window.axe.run({ runOnly: { type: 'tag', values }, resultTypes });
    return { violations, incomplete };
  }, tags);
  const sure = [], undecided = [];
  for (const { id, help, nodes } of result.violations) {
    for (const node of nodes) sure.push(`${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`);
  }
  for (const { id, nodes } of result.incomplete) {
    for (const node of nodes) undecided.push(`${id} is undecided: ${node.html} ${node.any.map(({ message }) => message)}`);
  }
  return { sure, undecided };
}

// The content is wider than the screen, with the innermost elements that reach beyond it, or the page has no title.
export function layoutFindings(page) {
  return page.evaluate(() => {
    const reaches = (element) => element.getBoundingClientRect().right > innerWidth;
    const reaching = [...document.body.querySelectorAll('*')].filter((each) => reaches(each) && ![...each.children].some(reaches));
    const shown = reaching.slice(0, 3).map((each) => each.outerHTML.slice(0, 120));
    return [
      ...(document.documentElement.scrollWidth > innerWidth ? [`it is wider than the screen: ${shown.join(' ')}`] : []),
      ...(document.title === '' ? ['it has no title'] : []),
    ];
  });
}
