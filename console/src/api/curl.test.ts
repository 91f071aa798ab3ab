import {expect, test} from 'vitest';

import {curlOf} from './curl';

test('A text with quotes and a leading @ stays one argument of the shell', () => {
  const command = curlOf({url: 'https://a.example/x', headers: {'X-A': "it's"}, body: "@file'; rm -rf /"});
  expect(command).toBe(
    `curl --fail-with-body -X POST -H 'X-A: it'\\''s' --data-raw '@file'\\''; rm -rf /' 'https://a.example/x'`,
  );
});
