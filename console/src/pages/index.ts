import type {Component} from 'svelte';

import type {Texts} from '../texts/en';

interface Page {
  title: (texts: Texts) => string;
  /** Loads the page's file, which is a file of its own in the build. */
  load: () => Promise<{default: Component}>;
  /** False for a page that the navigation leaves out. */
  listed: boolean;
}

/**
 * The pages by the first part of their URL, in the order of the navigation. Each begins to read before the session is
 * known; what it shows of the session follows.
 */
export const pages: Record<string, Page> = {
  today: {title: (t) => t.pages.today, load: () => import('./Today.svelte'), listed: true},
  orders: {title: (t) => t.pages.orders, load: () => import('./Orders.svelte'), listed: true},
  shipments: {title: (t) => t.pages.shipments, load: () => import('./Shipments.svelte'), listed: true},
  pack: {title: (t) => t.pages.pack, load: () => import('./Pack.svelte'), listed: true},
  customers: {title: (t) => t.pages.customers, load: () => import('./Customers.svelte'), listed: true},
  products: {title: (t) => t.pages.products, load: () => import('./Products.svelte'), listed: true},
  workflows: {title: (t) => t.workflows.title, load: () => import('./Workflows.svelte'), listed: true},
  editor: {title: (t) => t.pages.editor, load: () => import('./Editor.svelte'), listed: false},
  runs: {title: (t) => t.runs.title, load: () => import('./Runs.svelte'), listed: true},
  messages: {title: (t) => t.messages.title, load: () => import('./Messages.svelte'), listed: true},
  events: {title: (t) => t.events.title, load: () => import('./Events.svelte'), listed: true},
  destinations: {title: (t) => t.destinations.title, load: () => import('./Destinations.svelte'), listed: true},
  jobs: {title: (t) => t.jobs.title, load: () => import('./Jobs.svelte'), listed: true},
  audit: {title: (t) => t.audit.title, load: () => import('./Audit.svelte'), listed: true},
  stores: {title: (t) => t.stores.title, load: () => import('./Stores.svelte'), listed: true},
  carriers: {title: (t) => t.carriers.title, load: () => import('./Carriers.svelte'), listed: true},
  dispatch: {title: (t) => t.dispatch.title, load: () => import('./Dispatch.svelte'), listed: true},
  settings: {title: (t) => t.settingsPage.title, load: () => import('./Settings.svelte'), listed: true},
  search: {title: (t) => t.pages.search, load: () => import('./Search.svelte'), listed: false},
};

/** The pages of the navigation. */
export function shown(texts: Texts): {name: string; title: string}[] {
  return Object.entries(pages)
    .filter(([, page]) => page.listed)
    .map(([name, page]) => ({name, title: page.title(texts)}));
}
