import {expect, test} from 'vitest';

import source from '../../../../docs/recipes.md?raw';
import {recipes} from './recipes';

test('The recipes are those of the documents', () => {
  const documented = [...source.matchAll(/configure" -d @- <<JSON[^\n]*\n(.*?)\nJSON\n/gs)].map(
    (match) => JSON.parse((match[1] ?? '').replaceAll('$RECEIVER', 'https://example.com')) as {name: string},
  );
  const ours = Object.values(recipes).flatMap((group) => Object.values(group)) as unknown as {name: string}[];
  const byName = (list: {name: string}[]) => list.sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(JSON.parse(JSON.stringify(byName(ours)))).toEqual(byName(documented));
});
