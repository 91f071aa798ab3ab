import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

import svelteConfig from './svelte.config.js';

export default ts.config(
  {ignores: ['build/', 'built/', 'node_modules/', 'src/api/schema.ts', '*.config.*', '*.mjs', 'public/']},
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {parserOptions: {parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig}},
  },
  {
    rules: {
      // The API's texts are text: nothing from outside becomes HTML.
      'svelte/no-at-html-tags': 'error',
      // The content policy refuses them.
      'svelte/no-inline-styles': ['error', {allowTransitions: false}],
      'no-restricted-properties': [
        'error',
        {property: 'innerHTML', message: 'Nothing from outside is rendered as HTML.'},
        {property: 'outerHTML', message: 'Nothing from outside is rendered as HTML.'},
        {property: 'insertAdjacentHTML', message: 'Nothing from outside is rendered as HTML.'},
      ],
      // The router is src/route.svelte.ts, so that SvelteKit's rule does not apply.
      'svelte/no-navigation-without-resolve': 'off',
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
);
