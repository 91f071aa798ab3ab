import {expect, test} from 'vitest';

import {pages} from '.';

// The server finds the files of a page by that name (linksTable in build.mjs).
test('The file of a page has the name of the first part of its URL', () => {
  for (const [name, page] of Object.entries(pages)) {
    expect(String(page.load)).toContain(`/${name.charAt(0).toUpperCase()}${name.slice(1)}.svelte`);
  }
});
