import {svelte} from '@sveltejs/vite-plugin-svelte';
import {defineConfig} from 'vite';

// `npm run dev` shows the sources, with the API of a running `./dev run`.
const api = process.env.WAYBILL ?? 'http://127.0.0.1:8080';

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
    target: ['chrome114', 'firefox135', 'safari18.4'],
    reportCompressedSize: false,
  },
  test: {include: ['src/**/*.test.ts'], environment: 'node'},
} as import('vite').UserConfig);
