// report.mjs PART WORK_FOLDER RESULTS: the part's samples as a section of results.md, which replaces the earlier one.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [part, work, results] = process.argv.slice(2);

// A row is [what, name of the sample, unit]; a ratio [what, sample, over which sample, target].
const parts = {
  latency: {
    title: 'Latency',
    text:
      '1 000 changes one after another on an idle machine, 5 ms apart. From the commit to the first byte at the receiver: ' +
      'for waybill from the 2xx of `PATCH /api/v1/Orders/{id}/status`, for graphile-worker from the return of ' +
      '`add_job`. The commit is known to PostgreSQL before the caller learns of it, so a quick worker may be ahead.',
    rows: [
      ['waybill, p50', 'waybill_p50', 'ms'],
      ['waybill, p99', 'waybill_p99', 'ms'],
      ['waybill, longest', 'waybill_max', 'ms'],
      ['waybill, from sending the PATCH, p50', 'waybill_sent_p50', 'ms'],
      ['waybill, from sending the PATCH, p99', 'waybill_sent_p99', 'ms'],
      ['graphile-worker + undici, p50', 'peer_p50', 'ms'],
      ['graphile-worker + undici, p99', 'peer_p99', 'ms'],
      ['graphile-worker + undici, from sending `add_job`, p50', 'peer_sent_p50', 'ms'],
      ['graphile-worker + undici, from sending `add_job`, p99', 'peer_sent_p99', 'ms'],
      ['waybill with NOTIFY switched off, longest of 20 (once)', 'no_notify_max', 'ms'],
    ],
    limits: [
      ['p50', 'waybill_p50', 1.5, 'ms'],
      ['p99', 'waybill_p99', 5, 'ms'],
      ['longest with NOTIFY switched off', 'no_notify_max', 1500, 'ms'],
    ],
    ratios: [
      ['p50, of the peer', 'waybill_p50', 'peer_p50', '< 1'],
      ['p99, of the peer', 'waybill_p99', 'peer_p99', '< 1'],
    ],
  },
  throughput: {
    title: 'Throughput',
    text:
      '100 000 changes of an order\'s status, a workflow with two conditions, signed bodies to a local receiver; a job of the ' +
      'peer for each, inserted by one statement, its body filled up to the same size. The clock runs from the commit of the ' +
      'statement to the last webhook received (and, second, until its run is recorded or its job deleted); for the API ' +
      'from the first request, so that what 32 connections can commit is part of it. Each run\'s ledger balanced: ' +
      'received = events = runs = succeeded. `orders` is vacuumed before each run and not within one.',
    rows: [
      ['waybill, one SQL statement', 'sql', 'events/s'],
      ['… until recorded', 'sql_recorded', 'events/s'],
      ['waybill, the same with an open REPEATABLE READ reader', 'reader', 'events/s'],
      ['… after three minutes of 500 changes a second of random orders, three statements', 'changed', 'events/s'],
      ['… the same with a reader that is open all the while, three statements', 'long_reader', 'events/s'],
      ['waybill, 32 API connections (once)', 'api', 'events/s'],
      ['… requests accepted', 'api_accepted', 'requests/s'],
      ['graphile-worker + undici', 'peer', 'jobs/s'],
      ['… until deleted', 'peer_recorded', 'jobs/s'],
      ['CPU of an event: waybill', 'sql_cpu_waybill', 'µs'],
      ['CPU of an event: its PostgreSQL', 'sql_cpu_postgres', 'µs'],
      ['CPU of an event: receiver', 'sql_cpu_receiver', 'µs'],
      ['CPU of a job: graphile-worker', 'peer_cpu_peer', 'µs'],
      ['CPU of a job: its PostgreSQL', 'peer_cpu_postgres', 'µs'],
      ['CPU of a change by the API: waybill', 'api_cpu_waybill', 'µs'],
      ['CPU of a change by the API: its PostgreSQL', 'api_cpu_postgres', 'µs'],
      ['size of a body', 'body_size', 'bytes'],
    ],
    ratios: [
      ['of the peer', 'sql', 'peer', '≥ 1.6'],
      ['of the peer, until recorded and deleted', 'sql_recorded', 'peer_recorded', ''],
      ['with the open reader, of without', 'reader', 'sql', '≥ 0.9'],
      ['with one open for three minutes, of the same without', 'long_reader', 'changed', '≥ 0.9'],
    ],
  },
  reads: {
    title: 'Reads',
    text:
      '100 000 orders. wrk with one thread and 64 connections, a random order or one of the first twenty pages of fifty, ' +
      '`totalCount` exact. waybill checks the token and counts the call against a plan; Fastify does not. pgbench runs the ' +
      'same statements, prepared, with 16 clients. Fastify builds its JSON in SQL, pool of 10.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['… p50', 'get_p50', 'ms'],
      ['… p99', 'get_p99', 'ms'],
      ['pgbench, its statement', 'get_pgbench', 'statements/s'],
      ['Fastify 5 + pg, GET by id', 'get_fastify', 'requests/s'],
      ['waybill, list', 'list', 'requests/s'],
      ['… p50', 'list_p50', 'ms'],
      ['… p99', 'list_p99', 'ms'],
      ['pgbench, its statements', 'list_pgbench', 'statements/s'],
      ['Fastify 5 + pg, list', 'list_fastify', 'requests/s'],
    ],
    ratios: [
      ['GET by id, of Fastify', 'get', 'get_fastify', '≥ 2'],
      ['GET by id, of pgbench', 'get', 'get_pgbench', ''],
      ['list, of Fastify', 'list', 'list_fastify', '≥ 6'],
      ['list, of pgbench', 'list', 'list_pgbench', ''],
    ],
  },
  memory: {
    title: 'Memory',
    text: 'Resident memory of one process that serves the API and is the worker, PostgreSQL\'s processes aside. Once.',
    rows: [
      ['idle', 'idle', 'MB'],
      ['100 000 runs waiting', 'waiting', 'MB'],
      ['and 1 000 in flight, held by the receiver', 'waiting_and_in_flight', 'MB'],
      ['… of them at the receiver', 'in_flight', 'requests'],
      ['after they were answered', 'afterwards', 'MB'],
    ],
    limits: [
      ['idle', 'idle', 40, 'MB'],
      ['100 000 waiting, 1 000 in flight', 'waiting_and_in_flight', 100, 'MB'],
    ],
  },
  writers: {
    title: 'Writers',
    text: 'Commits of 32 pgbench connections that change the status of random orders, 5 s each.',
    rows: [
      ['without the event triggers', 'without', 'commits/s'],
      ['with them, no worker', 'with', 'commits/s'],
      ['with them, a worker that matches', 'worker', 'commits/s'],
      ['with them, a worker that sends a webhook for each', 'sending', 'commits/s'],
    ],
    ratios: [
      ['with triggers, of without', 'with', 'without', '≥ 0.6'],
      ['with triggers and worker, of without', 'worker', 'without', ''],
      ['with triggers, worker and webhooks, of without', 'sending', 'without', ''],
    ],
  },
  queue: {
    title: 'Queue',
    text:
      '100 000 changes by one statement, conditions evaluated, each with a run in the history that did nothing, from the ' +
      'commit on; 100 000 jobs that do nothing, from the start of the worker until the last is gone from the table ' +
      '(graphile-worker, which keeps no history) or completed (pg-boss, which does); and PostgreSQL claiming and deleting ' +
      'batches of 500 by 4 connections.',
    rows: [
      ['waybill', 'waybill', 'runs/s'],
      ['graphile-worker, tuned', 'graphile', 'jobs/s'],
      ['pg-boss, batches of 500', 'boss', 'jobs/s'],
      ['pgbench, claim and delete', 'floor', 'jobs/s'],
    ],
    ratios: [
      ['of pg-boss', 'waybill', 'boss', '≥ 1'],
      ['of graphile-worker', 'waybill', 'graphile', '≥ 0.5'],
      ['of pgbench', 'waybill', 'floor', ''],
    ],
  },
  waiting: {
    title: 'A million waiting runs',
    text:
      '50 000 due runs of 16 destinations that do nothing, from the commit that queued them until none is left, and one claim ' +
      'of a share of each destination (its statement alone, by pgbench); with nothing else in the queue, and with 1 000 000 ' +
      'runs in it that wait for another day.',
    rows: [
      ['nothing else queued', 'empty_rate', 'runs/s'],
      ['1 000 000 waiting', 'full_rate', 'runs/s'],
      ['p99 of a claim, nothing else queued', 'empty_claim_p99', 'ms'],
      ['p99 of a claim, 1 000 000 waiting', 'full_claim_p99', 'ms'],
    ],
    ratios: [
      ['rate with a million waiting, of without', 'full_rate', 'empty_rate', '≥ 0.9'],
      ['p99 of a claim with a million waiting, of without', 'full_claim_p99', 'empty_claim_p99', '< 1.1'],
    ],
  },
  fairness: {
    title: 'Fairness',
    text:
      'From the commit to the first byte at the receiver of a business that changes 25 orders a second: alone, and while ' +
      '2 500 a second are changed by statements of 25, in a table that nothing watches, or as orders of another business that fire nothing, or each a webhook, or one to an endpoint that never answers; while another changes 25 a second, each of which fires sixteen workflows whose endpoints answer after 14 s; while another changes 10 000 a second by ' +
      'statements of a hundred (half of the throughput), or has changed 100 000 by one statement. On two cores the writers\u2019 statements take them from whoever is in the middle of his work, for a scheduler\u2019s slice or a tick; \u201cpreferred\u201d is measured with real-time priority for all but the writers, alone too.',
    rows: [
      ['alone, p50', 'alone_p50', 'ms'],
      ['alone, p99', 'alone_p99', 'ms'],
      ['the same statements beside it on an unwatched table, p50', 'unwatched_p50', 'ms'],
      ['the same statements beside it on an unwatched table, p99', 'unwatched_p99', 'ms'],
      ['a hundredfold load beside it that fires nothing, p50', 'unfired_p50', 'ms'],
      ['a hundredfold load beside it that fires nothing, p99', 'unfired_p99', 'ms'],
      ['a hundredfold load beside it, p50', 'loud_p50', 'ms'],
      ['a hundredfold load beside it, p99', 'loud_p99', 'ms'],
      ['a dead endpoint beside it, p50', 'dead_p50', 'ms'],
      ['a dead endpoint beside it, p99', 'dead_p99', 'ms'],
      ['sixteen endpoints beside it that answer after 14 s, p50', 'slow_p50', 'ms'],
      ['sixteen endpoints beside it that answer after 14 s, p99', 'slow_p99', 'ms'],
      ['preferred, alone, p99', 'alone_first_p99', 'ms'],
      ['preferred, a hundredfold load beside it, p99', 'loud_first_p99', 'ms'],
      ['preferred, a dead endpoint beside it, p99', 'dead_first_p99', 'ms'],
      ['10 000 changes a second beside it, p50', 'half_p50', 'ms'],
      ['100 000 at once beside it, p50', 'burst_p50', 'ms'],
      ['100 000 at once beside it, p99', 'burst_p99', 'ms'],
    ],
    limits: [['p99 at half load', 'half_p99', 30, 'ms']],
    ratios: [
      ['p99 with a hundredfold load, of alone', 'loud_p99', 'alone_p99', '< 2'],
      ['p99 with a hundredfold load, of the same that fires nothing', 'loud_p99', 'unfired_p99', ''],
      ['p99 with a hundredfold load, of the same statements on an unwatched table', 'loud_p99', 'unwatched_p99', ''],
      ['p99 with a hundredfold load, of alone, both preferred', 'loud_first_p99', 'alone_first_p99', '< 2'],
      ['p99 with a dead endpoint, of alone', 'dead_p99', 'alone_p99', '< 2'],
      ['p99 with a dead endpoint, of the same that fires nothing', 'dead_p99', 'unfired_p99', ''],
      ['p99 with a dead endpoint, of the same statements on an unwatched table', 'dead_p99', 'unwatched_p99', ''],
      ['p99 with a dead endpoint, of alone, both preferred', 'dead_first_p99', 'alone_first_p99', '< 2'],
      ['p99 with sixteen endpoints that answer after 14 s, of alone', 'slow_p99', 'alone_p99', '< 2'],
      ['p99 with 100 000 at once, of alone', 'burst_p99', 'alone_p99', ''],
    ],
  },
  import: {
    title: 'Import',
    text:
      'The first import of a WooCommerce store of 10 000 orders, two items each, of 2 500 customers, that answers at once: a ' +
      'Node.js server with its JSON made before. From the request to the end of the run, with the event triggers and the ' +
      'worker that matches; the target is 2 000 orders/s, and a growth of less than 60 MB.',
    rows: [
      ['orders imported', 'import', 'orders/s'],
      ['growth of the process', 'import_growth', 'MB'],
    ],
  },
  api: {
    title: 'API at a million orders',
    text:
      '1 000 000 orders of 200 businesses, each request by the token of one of them. GET and list with 64 connections, lists ' +
      'that search one word (three digits or more of an order’s number) or filter, newest first, with 16, positions in ' +
      'batches of 100 with 8. A CSV of 100 000 customers is uploaded and confirmed once.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['pgbench, its statement', 'get_pgbench', 'statements/s'],
      ['Fastify 5 + pg, GET by id', 'get_fastify', 'requests/s'],
      ['waybill, list with totalCount', 'list', 'requests/s'],
      ['Fastify 5 + pg, list with exact count', 'list_fastify', 'requests/s'],
      ['$search of a word', 'search', 'requests/s'],
      ['$search of two digits, which no index serves', 'short', 'requests/s'],
      ['…, p50', 'short_p50', 'ms'],
      ['…, p99', 'short_p99', 'ms'],
      ['$filter by status', 'status', 'requests/s'],
      ['$filter by customer', 'customer', 'requests/s'],
      ['batches of 100 positions', 'batches', 'batches/s'],
    ],
    limits: [
      ['$search, p99', 'search_p99', 30, 'ms'],
      ['$filter by status, p99', 'status_p99', 30, 'ms'],
      ['$filter by customer, p99', 'customer_p99', 30, 'ms'],
      ['100 000 customers uploaded and confirmed', 'upload_seconds', 10, 's'],
      ['… memory it took', 'upload_growth', 100, 'MB'],
    ],
    ratios: [
      ['GET by id, of Fastify', 'get', 'get_fastify', '≥ 2.3'],
      ['GET by id, of pgbench', 'get', 'get_pgbench', '≥ 0.9'],
      ['list, of Fastify', 'list', 'list_fastify', '≥ 8'],
    ],
  },
  directus: {
    title: 'Directus at a million orders',
    text: 'The tables of the section before, copied for Directus 12; 64 connections.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['Directus, GET by id', 'get_directus', 'requests/s'],
      ['waybill, list with totalCount', 'list', 'requests/s'],
      ['Directus, list with filter_count', 'list_directus', 'requests/s'],
    ],
    ratios: [
      ['GET by id, of Directus', 'get', 'get_directus', '≥ 40'],
      ['list, of Directus', 'list', 'list_directus', '≥ 25'],
    ],
  },
  history: {
    title: 'Ten million runs',
    text:
      'A page of 50 of the runs of a business that has 10 000 000 of 30 days, with `totalCount`, one request at a time, any ' +
      'of the first twenty pages.',
    rows: [
      ['any, p50', 'all_p50', 'ms'],
      ['of the busiest workflow, p50', 'workflow_p50', 'ms'],
      ['of a workflow with a two-hundredth of them, p50', 'rare_p50', 'ms'],
      ['of a workflow that ran on one day, p50', 'once_p50', 'ms'],
      ['that are dead, p50', 'dead_p50', 'ms'],
      ['of the rare workflow that are dead, p50', 'dead_rare_p50', 'ms'],
      ['of a day, p50', 'day_p50', 'ms'],
      ['of 24 hours from 6 to 6, p50', 'hours_p50', 'ms'],
      ['of a record, p50', 'entity_p50', 'ms'],
    ],
    limits: [
      ['any, p99', 'all_p99', 50, 'ms'],
      ['of the busiest workflow, p99', 'workflow_p99', 50, 'ms'],
      ['of a workflow with a two-hundredth of them, p99', 'rare_p99', 50, 'ms'],
      ['of a workflow that ran on one day, p99', 'once_p99', 50, 'ms'],
      ['that are dead, p99', 'dead_p99', 50, 'ms'],
      ['of the rare workflow that are dead, p99', 'dead_rare_p99', 50, 'ms'],
      ['of a day, p99', 'day_p99', 50, 'ms'],
      ['of 24 hours from 6 to 6, p99', 'hours_p99', 50, 'ms'],
      ['of a record, p99', 'entity_p99', 50, 'ms'],
    ],
  },
};

const samples = new Map();
for (const line of fs.readFileSync(path.join(work, 'samples.csv'), 'utf8').trim().split('\n')) {
  const [name, value] = line.split(',');
  samples.set(name, [...(samples.get(name) ?? []), Number(value)]);
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const shown = (value) =>
  value >= 1000 ? String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ') : String(Number(value.toPrecision(3)));
const spread = (values) =>
  values.length > 1 ? `${shown(Math.min(...values))} – ${shown(Math.max(...values))}` : '';

function holds(value, target) {
  const [sign, bound] = target.split(' ');
  return sign === '≥' ? value >= Number(bound) : value < Number(bound);
}
const judged = (value, target) => (target === '' ? '' : `${target} ${holds(value, target) ? '✓' : '✗'}`);

function section({ title, text, rows, limits = [], ratios = [] }) {
  const lines = [`## ${title}`, '', text, '', '| | median | least – most |', '|---|---|---|'];
  for (const [what, name, unit] of rows) {
    const values = samples.get(name);
    if (values) lines.push(`| ${what} | ${shown(median(values))} ${unit} | ${spread(values)} |`);
  }
  lines.push('', '| to reach | median | least – most | target |', '|---|---|---|---|');
  for (const [what, name, limit, unit] of limits) {
    const values = samples.get(name);
    lines.push(`| ${what} | ${shown(median(values))} ${unit} | ${spread(values)} | ${judged(median(values), `< ${limit}`)} |`);
  }
  for (const [what, name, over, target] of ratios) {
    if (!samples.has(name)) continue;
    const values = samples.get(name).map((value, repetition) => value / samples.get(over)[repetition]);
    lines.push(`| ${what} | ${shown(median(values))} | ${spread(values)} | ${judged(median(values), target)} |`);
  }
  return lines.join('\n') + '\n';
}

const peerVersion = (name) =>
  JSON.parse(fs.readFileSync(new URL(`peers/node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

function head() {
  const settings = Object.fromEntries(
    fs.readFileSync(path.join(work, 'settings'), 'utf8').trim().split('\n').map((line) => line.split('=')));
  const { server_version: postgres, ...shownSettings } = settings;
  const filesystem = execFileSync('stat', ['-f', '-c', '%T', work], { encoding: 'utf8' }).trim();
  const peers = ['graphile-worker', 'undici', 'fastify', 'pg'].map((name) => `${name} ${peerVersion(name)}`);
  return [
    '# Results of the benchmark',
    '',
    'Made by `./dev bench`. Each figure is the median of repetitions that alternate with the peer\'s, all on one machine and',
    'one PostgreSQL with the settings of `waybill up`; ratios are of the same repetition.',
    '',
    `- Machine: ${os.cpus().length} × ${os.cpus()[0].model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ` +
      `Linux ${os.release()}, ${filesystem}; clients, receiver and PostgreSQL share it.`,
    `- Versions: waybill ${fs.readFileSync(path.join(work, 'waybill-version'), 'utf8').trim()}, PostgreSQL ${postgres}, ` +
      `Node.js ${process.versions.node}, ${peers.join(', ')}.`,
    `- PostgreSQL: ${Object.entries(shownSettings).map(([name, value]) => `${name} ${value}`).join(', ')}.`,
    '- graphile-worker: 24 jobs at a time, local queue of 500, refetch after 10 ms, completed in batches; undici: 24 kept connections.',
    '',
  ].join('\n');
}

const mine = section(parts[part]);
const kept = fs.existsSync(results) ? fs.readFileSync(results, 'utf8').split(/^(?=## )/m).slice(1) : [];
const sections = Object.entries(parts).map(([name, { title }]) =>
  name === part ? mine : kept.find((text) => text.startsWith(`## ${title}\n`)));
fs.writeFileSync(results, [head(), ...sections.filter(Boolean).map((text) => text.trimEnd() + '\n')].join('\n'));
console.log(mine);
