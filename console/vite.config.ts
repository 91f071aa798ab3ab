import {svelte} from '@sveltejs/vite-plugin-svelte';
import {defineConfig} from 'vite';

// `npm run dev` shows the sources, with the API of a running `./dev run`.
const api = process.env.WAYBILL ?? 'http://127.0.0.1:8080';

/** The modules that pages share, and those of them that the first page needs before it knows its page. */
const shared = /\/src\/((api|pages\/[a-z]+|parts)\/|texts\/definition\b)/;
const first = /\/src\/(api\/(client|connection|numeral|preferences|session)|parts\/(Choices|Empty|Frame|heading|modal|Problem|Settings|SignIn))\b/;

export default defineConfig({
  base: '/console/',
  plugins: [svelte()],
  server: {proxy: {'/api': api, '/healthz': api, '/openapi.json': api}},
  build: {
    outDir: 'build',
    assetsDir: '.',
    // The policy allows no inline scripts or styles, and no data: URL but for pictures.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    // A browser has six connections to a server of HTTP/1.1, so that many small files wait for each other. There are
    // the first page, the parts that other pages share, and a file for each page.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{name: 'parts', test: (id: string) => shared.test(id) && !first.test(id), minShareCount: 2}],
        },
      },
    },
    target: ['chrome114', 'firefox135', 'safari18.4'],
    reportCompressedSize: false,
  },
  test: {include: ['src/**/*.test.ts'], environment: 'node'},
} as import('vite').UserConfig);
