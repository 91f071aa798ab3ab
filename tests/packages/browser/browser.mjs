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
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: options,
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

export function violations(page) {
  return page.evaluate(() => window.violations);
}

// Returns the findings of axe-core on a page: {sure, undecided}, both texts.
export async function accessibilityFindings(page) {
  await page.evaluate(axe);
  const result = await page.evaluate((values) => window.axe.run({ runOnly: { type: 'tag', values } }), tags);
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
