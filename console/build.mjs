// Builds the console into built/: each file compressed, under the name that its content gives it, and files.inc and
// links.inc, which api/console/console.cpp includes. built/sources has the hash of what it was made of
// (tools/check/console).
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

import {build} from 'vite';

const built = new URL('built/', import.meta.url);
const made = new URL('build/', import.meta.url);
const types = {html: 'html_type', js: 'script_type', css: 'style_type', svg: '"image/svg+xml"'};
/** Bytes with gzip. The first page is index.html with what it loads before a page is shown. */
const limits = {first: 55_000, editor: 55_000, all: 240_000};

const {output} = await build();
rmSync(built, {recursive: true, force: true});
mkdirSync(built);

const names = readdirSync(made).sort();
const sizes = {};
let table = '// Made by `npm run build` in console/. X(symbol, path, file, media type, is named by its content)\n';
for (const [index, name] of names.entries()) {
  const bytes = gzipSync(readFileSync(new URL(name, made)), {level: 9});
  // The system that compressed is not part of the content (RFC 1952 section 2.3.1).
  bytes[9] = 255;
  sizes[name] = bytes.length;
  writeFileSync(new URL(`${name}.gz`, built), bytes);
  const hashed = /-[\w-]{8}\.(js|css)$/.test(name);
  const type = types[name.split('.').at(-1)];
  if (!type) throw new Error(`${name}: its media type is unknown`);
  table += `X(console_${index}, "/console/${name}", "${name}.gz", ${type}, ${hashed})\n`;
}
writeFileSync(new URL('files.inc', built), table);
writeFileSync(new URL('sources', built), sourcesHash());

const page = readFileSync(new URL('index.html', made), 'utf8');
const first = names.filter((name) => name === 'index.html' || page.includes(`/console/${name}`));
writeFileSync(new URL('links.inc', built), linksTable());
check('the first page', first, limits.first);
check('the editor', names.filter((name) => /^Editor-/.test(name)), limits.editor);
check('all files', names, limits.all);

function check(what, files, limit) {
  const size = files.reduce((sum, name) => sum + sizes[name], 0);
  console.log(`${what}: ${size} bytes with gzip, at most ${limit}`);
  if (size > limit) throw new Error(`${what} exceeds its limit`);
}

/**
 * The files that a page or a language needs besides the first page, as fields Link: the browser fetches them with the
 * first page, and not after it.
 */
function linksTable() {
  const chunks = new Map(output.filter((file) => file.type === 'chunk').map((file) => [file.fileName, file]));
  const needed = (name, found = new Set()) => {
    if (!found.has(name) && !first.includes(name)) {
      found.add(name);
      for (const imported of chunks.get(name).imports) needed(imported, found);
    }
    return found;
  };
  const link = (name) => [...needed(name)].sort().map((file) => `</console/${file}>; rel=modulepreload`).join(', ');
  const rows = [...chunks.values()].flatMap(({facadeModuleId, fileName}) => {
    const [, module] = /\/src\/(?:pages|texts)\/(\w+)\.(?:svelte|ts)$/.exec(facadeModuleId ?? '') ?? [];
    if (!module) return [];
    return `X("${module.toLowerCase()}", "${link(fileName)}")\n`;
  });
  const head = '// Made by `npm run build` in console/. X(page or language, Link)\n';
  return head + rows.sort().join('');
}

/** The hash of the lines that sha256sum writes for all sources, as tools/check/console computes it. */
function sourcesHash() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '.'], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  });
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const lines = listed
    .split('\n')
    .filter((path) => path && !path.startsWith('built/') && !path.endsWith('.test.ts'))
    .filter((path) => existsSync(new URL(path, import.meta.url)))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((path) => `${hash(readFileSync(new URL(path, import.meta.url)))}  ${path}\n`);
  return `${hash(lines.join(''))}\n`;
}
