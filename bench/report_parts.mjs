// The sections of results.md: titles, texts, and the samples in their rows, for each part of the benchmark.
const readerSeconds = process.env.BENCH_READER_SECONDS ?? '180';

function changesThroughTheApi(title, orders) {
  return {
    title,
    text:
      `${orders}, 64 connections, no worker. A move changes the status of each order in turn. Go (net/http, pgx) ` +
      'uses tables without triggers, with five indexes instead of those of waybill, and an outbox: a change is one ' +
      'statement, or a transaction of four steps. waybill also checks the token, counts the request, and keeps the whole ' +
      'record before and after. Bulk calls have 1 000 orders each, on 2 connections. PostgreSQL\'s CPU time is of each ' +
      'change.',
    rows: [
      ['waybill, status', 'move', 'changes/s'],
      ['waybill, notes (PUT)', 'edit', 'changes/s'],
      ['waybill, items (PUT)', 'reorder', 'changes/s'],
      ['waybill, new orders', 'create', 'orders/s'],
      ['waybill, new orders in bulk', 'bulk', 'orders/s'],
      ['Go net/http + pgx, status in one statement', 'go_statement', 'changes/s'],
      ['Go net/http + pgx, status in four steps', 'go_steps', 'changes/s'],
      ['Go net/http + pgx, notes in one statement', 'go_edit_statement', 'changes/s'],
      ['Go net/http + pgx, notes in four steps', 'go_edit_steps', 'changes/s'],
      ['Go net/http + pgx, new orders', 'go_create', 'orders/s'],
    ].flatMap(([what, name, unit]) => [
      [what, name, unit],
      ['… p50', `${name}_p50`, 'ms'],
      ['… p99', `${name}_p99`, 'ms'],
      ['… CPU of PostgreSQL', `${name}_cpu`, 'µs'],
    ]),
    limits: [
      ['status, CPU of PostgreSQL', 'move_cpu', 300, 'µs'],
      ['notes, CPU of PostgreSQL', 'edit_cpu', 300, 'µs'],
    ],
    ratios: [
      ['status, relative to Go in one statement', 'move', 'go_statement', '≥ 0.9'],
      ['status, relative to Go in four steps', 'move', 'go_steps', '≥ 1.4'],
      ['notes, relative to Go in one statement', 'edit', 'go_edit_statement', '≥ 0.9'],
      ['notes, relative to Go in four steps', 'edit', 'go_edit_steps', '≥ 1.4'],
      ['new orders, relative to Go', 'create', 'go_create', '≥ 0.9'],
    ],
  };
}

function filteredLists(title, orders) {
  const besideSql = {
    not_status: "status ne 'delivered'",
    sorted_by_customer: '$orderby=customer/name',
    sorted_by_notes: '$orderby=notes',
    started: "startswith(deliveryAddress/city,'City 3')",
    frequent_text: "contains(notes,'order')",
  };
  return {
    title,
    text:
      `${orders} of one business, 64 connections, fifty entries newest first with an exact ` +
      '`totalCount`: of a status that a quarter of the orders has, of one customer, of a day, of a month. The peers run ' +
      'the same conditions on the same tables and indexes, as in “Reads”. `$search` is a number of four to six digits, ' +
      'with 8 connections; so are the filters by own data, which a thousandth of the orders has (a reference: a ' +
      'ten-thousandth), and the lists beside “SQL”: the plain statements of page and count in pgbench, without HTTP, token ' +
      'and JSON.',
    rows: ['status', 'customer', 'day', 'month'].flatMap((list) => [
      [`waybill, of a ${list}`, list, 'requests/s'],
      ['… p99', `${list}_p99`, 'ms'],
      [`Fastify 5 + pg, of a ${list}`, `${list}_fastify`, 'requests/s'],
      ['… p99', `${list}_fastify_p99`, 'ms'],
      [`Go net/http + pgx, of a ${list}`, `${list}_go`, 'requests/s'],
      ['… p99', `${list}_go_p99`, 'ms'],
    ]).concat([
      ['waybill, of a status with $select of the peers\' fields', 'status_select', 'requests/s'],
      ['… p99', 'status_select_p99', 'ms'],
      ['waybill, $search', 'search', 'requests/s'],
      ['waybill, tags eq', 'tag', 'requests/s'],
      ['… if all other orders have another tag', 'rare_tag', 'requests/s'],
      ['… of the tag of nearly all orders', 'frequent_tag', 'requests/s'],
      ['waybill, externalReference eq', 'reference', 'requests/s'],
      ['waybill, metadata/KEY eq', 'metadata', 'requests/s'],
      ['GET /api/search, an order number', 'found_number', 'requests/s'],
      ['… the first name that all recipients have', 'found_first_name', 'requests/s'],
      ['… and the beginning of a family name that a thousandth has', 'found_name', 'requests/s'],
      ['GET /api/today', 'today', 'requests/s'],
    ]).concat(Object.entries(besideSql).flatMap(([name, list]) => [
      [`waybill, \`${list}\``, name, 'requests/s'],
      ['Fastify 5 + pg', `${name}_fastify`, 'requests/s'],
      ['Go net/http + pgx', `${name}_go`, 'requests/s'],
      ['SQL', `${name}_sql`, 'requests/s'],
    ])),
    limits: [
      ['$search, p99', 'search_p99', 30, 'ms'],
      ['tags eq, p99', 'tag_p99', 50, 'ms'],
      ['tags eq, all other orders have another, p99', 'rare_tag_p99', 50, 'ms'],
      ['externalReference eq, p99', 'reference_p99', 50, 'ms'],
      ['metadata/KEY eq, p99', 'metadata_p99', 50, 'ms'],
      ['search for an order number, p99', 'found_number_p99', 30, 'ms'],
      ['search for the first name of all recipients, p99', 'found_first_name_p99', 30, 'ms'],
      ['search for two words of a name, p99', 'found_name_p99', 30, 'ms'],
      ['today, p99', 'today_p99', 20, 'ms'],
    ],
    ratios: ['status', 'customer', 'day', 'month'].flatMap((list) => ['Fastify', 'Go'].flatMap((peer) => [
      [`of a ${list}, relative to ${peer}`, list, `${list}_${peer.toLowerCase()}`, list === 'status' ? '≥ 4' : '≥ 1.5'],
      [`of a ${list}, p99 relative to ${peer}`, `${list}_p99`, `${list}_${peer.toLowerCase()}_p99`, '< 1'],
    ])).concat(['Fastify', 'Go'].map((peer) =>
      [`of a status with $select, relative to ${peer}`, 'status_select', `status_${peer.toLowerCase()}`, '≥ 6'],
    )).concat(Object.entries(besideSql).flatMap(([name, list]) => ['Fastify', 'Go', 'SQL'].map((peer) =>
      [`\`${list}\`, relative to ${peer}`, name, `${name}_${peer.toLowerCase()}`, '≥ 1']))),
  };
}

// A row is [label, sample, unit], a limit [label, sample, maximum, unit], a ratio [label, sample, divisor sample, target].
export const parts = {
  latency: {
    title: 'Latency',
    text:
      '1 000 changes one after another on an idle machine, 5 ms apart. Time from the commit to the first byte at ' +
      'the receiver: for waybill from the 2xx of `PATCH /api/v1/Orders/{id}/status`, for graphile-worker from the ' +
      'return of `add_job`. PostgreSQL has committed before the caller gets this response, so a fast worker can be ' +
      'earlier than the response. River\'s statement inserts a job; a second one also makes the same change of the order ' +
      'as the statement of waybill, on a copy of the table without triggers.',
    rows: [
      ['waybill, p50', 'waybill_p50', 'ms'],
      ['waybill, p99', 'waybill_p99', 'ms'],
      ['waybill, maximum', 'waybill_max', 'ms'],
      ['waybill, from sending the PATCH, p50', 'waybill_sent_p50', 'ms'],
      ['waybill, from sending the PATCH, p99', 'waybill_sent_p99', 'ms'],
      ['graphile-worker + undici, p50', 'peer_p50', 'ms'],
      ['graphile-worker + undici, p99', 'peer_p99', 'ms'],
      ['graphile-worker + undici, from sending `add_job`, p50', 'peer_sent_p50', 'ms'],
      ['graphile-worker + undici, from sending `add_job`, p99', 'peer_sent_p99', 'ms'],
      ['waybill, a change by SQL, p50', 'sql_p50', 'ms'],
      ['… from sending the statement, p50', 'sql_sent_p50', 'ms'],
      ['River, tuned, p50', 'river_p50', 'ms'],
      ['… from sending the insert, p50', 'river_sent_p50', 'ms'],
      ['River, tuned, the same change and a job, p50', 'river_change_p50', 'ms'],
      ['… from sending the statement, p50', 'river_change_sent_p50', 'ms'],
      ['waybill without NOTIFY, maximum of 20 (once)', 'no_notify_max', 'ms'],
    ],
    limits: [
      ['p50', 'waybill_p50', 1.5, 'ms'],
      ['p99', 'waybill_p99', 5, 'ms'],
      ['maximum without NOTIFY', 'no_notify_max', 1500, 'ms'],
    ],
    ratios: [
      ['p50 relative to the peer', 'waybill_p50', 'peer_p50', '< 1'],
      ['p99 relative to the peer', 'waybill_p99', 'peer_p99', '< 1'],
      ['by SQL, p50 from sending, relative to River', 'sql_sent_p50', 'river_sent_p50', '< 1'],
      ['by SQL, p50 from sending, relative to River with the same change', 'sql_sent_p50', 'river_change_sent_p50', '< 1'],
    ],
  },
  tls: {
    title: 'Webhooks over TLS',
    text:
      'As in “Throughput”, but one HAProxy (one thread, TLS 1.3, kept connections) stands before the receiver for all ' +
      'programs: without TLS, with HTTP/1.1 and with HTTP/2. Until recorded or completed. 500 changes one after another ' +
      'through each of the three, to the first byte at the receiver. A thousand workflows that send one webhook a second ' +
      'each over HTTP/1.1: to one destination, and to a thousand.',
    rows: ['http', 'https', 'http2'].flatMap((name) => {
      const what = { http: 'without TLS', https: 'HTTP/1.1', http2: 'HTTP/2' }[name];
      return [
        [`waybill, ${what}`, `${name}_recorded`, 'events/s'],
        ['… CPU per event: waybill', `${name}_cpu_waybill`, 'µs'],
        ['… CPU per event: its PostgreSQL', `${name}_cpu_postgres`, 'µs'],
        [`River, tuned, ${what}`, `river_${name}_recorded`, 'jobs/s'],
        ['… CPU per job', `river_${name}_cpu_peer`, 'µs'],
        [`graphile-worker + undici, ${what}`, `graphile_${name}_recorded`, 'jobs/s'],
        ['… CPU per job', `graphile_${name}_cpu_peer`, 'µs'],
        [`waybill, to the first byte, ${what}, p50`, `latency_${name}_p50`, 'ms'],
        ['… p99', `latency_${name}_p99`, 'ms'],
      ];
    }).concat([
      ['CPU of waybill in a second, one destination', 'one_destination', 'ms'],
      ['… a thousand destinations', 'all_destinations', 'ms'],
    ]),
    limits: [['CPU per event over HTTP/1.1', 'https_cpu_waybill', 28, 'µs']],
    ratios: [
      ['HTTP/1.1, relative to River', 'https_recorded', 'river_https_recorded', '≥ 2'],
      ['HTTP/1.1, relative to graphile-worker', 'https_recorded', 'graphile_https_recorded', '≥ 2'],
      ['HTTP/2, relative to River', 'http2_recorded', 'river_http2_recorded', '≥ 2'],
      ['HTTP/2, relative to graphile-worker', 'http2_recorded', 'graphile_http2_recorded', '≥ 2'],
      ['without TLS, relative to River', 'http_recorded', 'river_http_recorded', ''],
      ['p50 over HTTP/1.1, relative to no TLS', 'latency_https_p50', 'latency_http_p50', '< 1.15'],
      ['p50 over HTTP/2, relative to no TLS', 'latency_http2_p50', 'latency_http_p50', ''],
      ['CPU of a thousand destinations, relative to one', 'all_destinations', 'one_destination', '< 1.5'],
    ],
  },
  throughput: {
    title: 'Throughput',
    text:
      '100 000 changes of an order\'s status, a workflow with two conditions, signed bodies to a local receiver. The ' +
      'peer gets a job for each, inserted by one statement, with a body padded to the same size. Time runs from the ' +
      'commit of the statement to the last webhook received (second figure: until its run is recorded or its job ' +
      'deleted). For the API it runs from the first request, so the commit rate of 32 connections is included. The ' +
      'ledger of each repetition balanced: received = events = runs = succeeded. `orders` is vacuumed before each ' +
      'repetition and not during one. River inserts its jobs likewise; tuned it has 1 000 workers and a fetch cooldown ' +
      'of 1 ms. Procrastinate, tuned, has 64 tasks at once, 16 connections and deletes finished jobs.',
    rows: [
      ['waybill, one SQL statement', 'sql', 'events/s'],
      ['… until recorded', 'sql_recorded', 'events/s'],
      ['waybill, with an open REPEATABLE READ reader', 'reader', 'events/s'],
      [`… after ${readerSeconds} s of 500 changes a second to random orders, three statements`, 'changed', 'events/s'],
      ['… the same with a reader open all the time, three statements', 'long_reader', 'events/s'],
      ['waybill, 32 API connections (once)', 'api', 'events/s'],
      ['… requests accepted', 'api_accepted', 'requests/s'],
      ['graphile-worker + undici', 'peer', 'jobs/s'],
      ['… until deleted', 'peer_recorded', 'jobs/s'],
      ['CPU per event: waybill', 'sql_cpu_waybill', 'µs'],
      ['CPU per event: its PostgreSQL', 'sql_cpu_postgres', 'µs'],
      ['CPU per event: receiver', 'sql_cpu_receiver', 'µs'],
      ['CPU per job: graphile-worker', 'peer_cpu_peer', 'µs'],
      ['CPU per job: its PostgreSQL', 'peer_cpu_postgres', 'µs'],
      ['River, defaults (once, 10 000 jobs), until completed', 'river_recorded', 'jobs/s'],
      ['River, tuned', 'river_tuned', 'jobs/s'],
      ['… until completed', 'river_tuned_recorded', 'jobs/s'],
      ['CPU per job: River, tuned', 'river_tuned_cpu_peer', 'µs'],
      ['CPU per job: its PostgreSQL', 'river_tuned_cpu_postgres', 'µs'],
      ['Procrastinate, defaults (once, 1 000 jobs), until finished', 'procrastinate_recorded', 'jobs/s'],
      ['Procrastinate, tuned (2 000 jobs), until finished', 'procrastinate_tuned_recorded', 'jobs/s'],
      ['CPU per job: Procrastinate, tuned', 'procrastinate_tuned_cpu_peer', 'µs'],
      ['CPU per job: its PostgreSQL', 'procrastinate_tuned_cpu_postgres', 'µs'],
      ['CPU per change by the API: waybill', 'api_cpu_waybill', 'µs'],
      ['CPU per change by the API: its PostgreSQL', 'api_cpu_postgres', 'µs'],
      ['size of a body', 'body_size', 'bytes'],
    ],
    ratios: [
      ['relative to the peer', 'sql', 'peer', '≥ 1.6'],
      ['until recorded and deleted, relative to the peer', 'sql_recorded', 'peer_recorded', ''],
      ['until recorded, relative to River tuned', 'sql_recorded', 'river_tuned_recorded', '≥ 2.2'],
      ['until recorded, relative to Procrastinate tuned', 'sql_recorded', 'procrastinate_tuned_recorded', ''],
      ['with the open reader, relative to without', 'reader', 'sql', '≥ 0.9'],
      [`with a reader open for ${readerSeconds} s, relative to without`, 'long_reader', 'changed', '≥ 0.9'],
    ],
  },
  reads: {
    title: 'Reads',
    text:
      '100 000 orders. wrk with one thread and 64 connections requests a random order, or one of the first twenty ' +
      'pages of fifty with an exact `totalCount`. waybill checks the token and counts the request against a plan; ' +
      'Fastify does not. pgbench runs the same statements, prepared, with 16 clients. Fastify builds its JSON in ' +
      'SQL, with a pool of 10; so does the server in Go (net/http, pgx), with the same statements.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['… p50', 'get_p50', 'ms'],
      ['… p99', 'get_p99', 'ms'],
      ['waybill, GET by id with $select of the peers\' fields', 'get_select', 'requests/s'],
      ['pgbench, its statement', 'get_pgbench', 'statements/s'],
      ['Fastify 5 + pg, GET by id', 'get_fastify', 'requests/s'],
      ['Go net/http + pgx, GET by id', 'get_go', 'requests/s'],
      ['waybill, list', 'list', 'requests/s'],
      ['… p50', 'list_p50', 'ms'],
      ['… p99', 'list_p99', 'ms'],
      ['pgbench, its statements', 'list_pgbench', 'statements/s'],
      ['Fastify 5 + pg, list', 'list_fastify', 'requests/s'],
      ['Go net/http + pgx, list', 'list_go', 'requests/s'],
    ],
    ratios: [
      ['GET by id, relative to Fastify', 'get', 'get_fastify', '≥ 2'],
      ['GET by id, relative to Go', 'get', 'get_go', '≥ 2'],
      ['GET by id with $select, relative to Fastify', 'get_select', 'get_fastify', '≥ 3'],
      ['GET by id with $select, relative to Go', 'get_select', 'get_go', '≥ 3'],
      ['GET by id, relative to pgbench', 'get', 'get_pgbench', ''],
      ['list, relative to Fastify', 'list', 'list_fastify', '≥ 6'],
      ['list, relative to Go', 'list', 'list_go', '≥ 6'],
      ['list, relative to pgbench', 'list', 'list_pgbench', ''],
    ],
  },
  shipments: {
    title: 'Shipments',
    text:
      'wrk with one thread and 64 connections requests the public page of a random one of 10 000 shipments with five ' +
      'traces each, and a random order by id. 10 000 scans, one of each shipment, in ten requests one after another: ' +
      'first as moves from `created` to `in_transit`, then as scans that move nothing.',
    rows: [
      ['GET of an order by id', 'get', 'requests/s'],
      ['page, HTML', 'page', 'requests/s'],
      ['… p99', 'page_p99', 'ms'],
      ['page, JSON', 'page_json', 'requests/s'],
      ['… p99', 'page_json_p99', 'ms'],
      ['10 000 scans that move (once)', 'scans_move', 'ms'],
      ['10 000 scans that move nothing', 'scans', 'ms'],
    ],
    limits: [
      ['10 000 scans that move', 'scans_move', 2000, 'ms'],
      ['10 000 scans', 'scans', 2000, 'ms'],
    ],
    ratios: [
      ['page, relative to GET by id', 'page', 'get', '≥ 0.8'],
      ['JSON of the page, relative to GET by id', 'page_json', 'get', '≥ 0.8'],
    ],
  },
  lists: filteredLists('Filtered lists', '100 000 orders'),
  memory: {
    title: 'Memory',
    text: 'Resident memory of one process with API and worker, without PostgreSQL. Measured once.',
    rows: [
      ['idle', 'idle', 'MB'],
      ['100 000 runs waiting', 'waiting', 'MB'],
      ['and the most in flight that a business may have, held by the receiver', 'waiting_and_in_flight', 'MB'],
      ['… of these at the receiver', 'in_flight', 'requests'],
      ['after their responses', 'afterwards', 'MB'],
    ],
    limits: [
      ['idle', 'idle', 40, 'MB'],
      ['100 000 waiting, 768 in flight', 'waiting_and_in_flight', 100, 'MB'],
    ],
  },
  writers: {
    title: 'Writers',
    text:
      'Commits of 32 pgbench connections that change the status of random orders, 5 s each. In a copy of the database ' +
      'without triggers, one statement makes the same change, inserts a job of River or a row of a plain outbox with three ' +
      'of its fields, and calls `pg_notify`.',
    rows: [
      ['without event triggers', 'without', 'commits/s'],
      ['with triggers, no worker', 'with', 'commits/s'],
      ['the change and a job of River, no worker', 'river', 'commits/s'],
      ['the change, a row of a plain outbox and `pg_notify`', 'outbox', 'commits/s'],
      ['with triggers and a worker that matches', 'worker', 'commits/s'],
      ['with triggers and a worker that sends a webhook for each', 'sending', 'commits/s'],
    ],
    ratios: [
      ['with triggers, relative to a job of River', 'with', 'river', '≥ 1.15'],
      ['with triggers, relative to a plain outbox', 'with', 'outbox', '≥ 1'],
      ['with triggers, relative to without', 'with', 'without', ''],
      ['with triggers and worker, relative to without', 'worker', 'without', ''],
      ['with triggers, worker and webhooks, relative to without', 'sending', 'without', ''],
    ],
  },
  changes: changesThroughTheApi('Changes through the API', '100 000 orders'),
  queue: {
    title: 'Queue',
    text:
      'waybill: 100 000 changes by one statement, conditions evaluated, each with a run in the history that did ' +
      'nothing, timed from the commit. Peers: 100 000 jobs that do nothing, timed from the start of the worker ' +
      'until the last is deleted (graphile-worker, which keeps no history) or completed (pg-boss, which keeps one). ' +
      'pgbench: PostgreSQL claims and deletes batches of 500 with 4 connections.',
    rows: [
      ['waybill', 'waybill', 'runs/s'],
      ['graphile-worker, tuned', 'graphile', 'jobs/s'],
      ['pg-boss, batches of 500', 'boss', 'jobs/s'],
      ['pgbench, claim and delete', 'floor', 'jobs/s'],
    ],
    ratios: [
      ['relative to pg-boss', 'waybill', 'boss', '≥ 1'],
      ['relative to graphile-worker', 'waybill', 'graphile', '≥ 0.5'],
      ['relative to pgbench', 'waybill', 'floor', ''],
    ],
  },
  digests: {
    title: 'Digests',
    text:
      '100 000 orders change in one transaction, and their events come together in 10 000 digests of ten, each of which ' +
      'has one webhook. Until the last run is recorded; a minute is 1 667 events/s.',
    rows: [
      ['events', 'events', 'events/s'],
      ['digests', 'digests', 'digests/s'],
    ],
    ratios: [],
  },
  steps: {
    title: 'Steps',
    text:
      '2 000 orders change in one transaction, and each causes ten webhooks: as ten workflows, and as the ten steps of ' +
      'one. Until the last run is recorded.',
    rows: [
      ['ten workflows', 'singles', 'webhooks/s'],
      ['ten steps', 'steps', 'webhooks/s'],
      ['ten steps with an answer and a choice', 'choices', 'steps/s'],
    ],
    ratios: [
      ['ten steps, relative to ten workflows', 'steps', 'singles', '≥ 0.5'],
      ['an answer and a choice, relative to ten steps', 'choices', 'steps', '≥ 0.9'],
    ],
  },
  actions: {
    title: 'Ordered workflows and changes by workflows',
    text:
      'Time from the commit of a change to the first byte at the receiver, 500 changes one after another, of a workflow ' +
      'with and without `ordered`. 4 000 changes of three orders by eight writers, from the first until the last ' +
      'ordered run is recorded: alone, and twice beside a transaction that is open all the time. And 20 000 orders that ' +
      'one statement moves, each of which an `update_status` moves back, from the commit until the last run is ' +
      'recorded; beside one session of plain SQL that moves as many orders one by one, a hundred in a transaction.',
    rows: [
      ['p50', 'plain_p50', 'ms'],
      ['p99', 'plain_p99', 'ms'],
      ['p50, ordered', 'ordered_p50', 'ms'],
      ['p99, ordered', 'ordered_p99', 'ms'],
      ['ordered runs of three orders', 'chains', 'runs/s'],
      ['… beside an open transaction', 'chains_open', 'runs/s'],
      ['… and again beside it', 'chains_open_again', 'runs/s'],
      ['orders moved by `update_status`', 'moves', 'orders/s'],
      ['orders moved by plain SQL', 'plain_moves', 'orders/s'],
    ],
    ratios: [
      ['p50, ordered, relative to not ordered', 'ordered_p50', 'plain_p50', ''],
      ['runs beside an open transaction, the second time, relative to none', 'chains_open_again', 'chains', ''],
      ['moved by `update_status`, relative to plain SQL', 'moves', 'plain_moves', ''],
    ],
  },
  waiting: {
    title: 'A million waiting runs',
    text:
      '50 000 due runs of 16 destinations that do nothing, from the commit that queued them until none is left; and ' +
      'one claim of a share of each destination (its statement alone, with pgbench). Both with nothing else in the ' +
      'queue, with 1 000 000 runs in it that are due on another day, and with as many that wait for an event until then.',
    rows: [
      ['nothing else queued', 'empty_rate', 'runs/s'],
      ['1 000 000 waiting', 'full_rate', 'runs/s'],
      ['1 000 000 waiting for an event', 'watching_rate', 'runs/s'],
      ['p99 of a claim, nothing else queued', 'empty_claim_p99', 'ms'],
      ['p99 of a claim, 1 000 000 waiting', 'full_claim_p99', 'ms'],
      ['p99 of a claim, 1 000 000 waiting for an event', 'watching_claim_p99', 'ms'],
    ],
    ratios: [
      ['rate with a million waiting, relative to without', 'full_rate', 'empty_rate', '≥ 0.9'],
      ['rate with a million waiting for an event, relative to without', 'watching_rate', 'empty_rate', '≥ 0.95'],
      ['p99 of a claim with a million waiting, relative to without', 'full_claim_p99', 'empty_claim_p99', '< 1.1'],
    ],
  },
  blocked: {
    title: 'Blocked ordered runs',
    text:
      'Time from the commit of a change to the first byte at the receiver, one change after another, while ordered ' +
      'runs of another business are due and wait for earlier runs of their records. The runs are queued at the ' +
      'start of the measurement.',
    rows: [
      ['p50, none', 'alone_p50', 'ms'],
      ['p99, none', 'alone_p99', 'ms'],
      ['p50, 10 000', 'beside_10000_p50', 'ms'],
      ['p99, 10 000', 'beside_10000_p99', 'ms'],
      ['p50, 100 000', 'beside_100000_p50', 'ms'],
      ['p99, 100 000', 'beside_100000_p99', 'ms'],
    ],
    ratios: [],
  },
  carriers: {
    title: 'Labels of carriers',
    text:
      '500 labels of one business, bought through a real Karrio (one process) whose carrier answers at once, four at a time, ' +
      'from the first request until the last label is stored. And the time from the commit of a change to the first byte at ' +
      'the receiver of another business, one change after another: alone, and while 500 purchases wait for a gateway that ' +
      'never answers.',
    rows: [
      ['labels', 'bought', 'labels/s'],
      ['p50, alone', 'alone_p50', 'ms'],
      ['p99, alone', 'alone_p99', 'ms'],
      ['p50, with a gateway that hangs', 'beside_p50', 'ms'],
      ['p99, with a gateway that hangs', 'beside_p99', 'ms'],
    ],
    ratios: [
      ['p50 with a gateway that hangs, relative to alone', 'beside_p50', 'alone_p50', '< 1.1'],
      ['p99 with a gateway that hangs, relative to alone', 'beside_p99', 'alone_p99', ''],
    ],
  },
  timers: {
    title: 'A million waiting timers',
    text:
      'One claim of 16 due timers of each of the 16 shards (its statement alone, with pgbench): with nothing but ' +
      '50 000 due timers in the table, and with 1 000 000 in it that are due on another day.',
    rows: [
      ['p99 of a claim, nothing waiting', 'empty_claim_p99', 'ms'],
      ['p99 of a claim, 1 000 000 waiting', 'full_claim_p99', 'ms'],
    ],
    ratios: [
      ['p99 of a claim with a million waiting, relative to without', 'full_claim_p99', 'empty_claim_p99', '< 1.1'],
    ],
  },
  fairness: {
    title: 'Fairness',
    text:
      'Time from the commit to the first byte at the receiver of a quiet business that changes 25 orders a second. ' +
      'Alone; and while 2 500 rows a second are changed by statements of 25: in a table without triggers, as orders ' +
      'of another business of its shard that fire nothing, that each fire a webhook, or that each fire a webhook to a ' +
      'destination that never answers; while another business changes 25 orders a second, each of which fires ' +
      'sixteen workflows whose destinations answer after 14 s; while another business confirms sixteen uploads of ' +
      '20 000 new customers at once; while another business changes an order of 40 items 25 times a second, which ' +
      'fires eight workflows whose templates nest `{{#items}}` six times; while 10 000 runs of another business send ' +
      'ten webhooks each, as steps of one workflow; while another business changes 10 000 ' +
      'orders a second by statements of a hundred (half of the throughput), or has changed 100 000 by one ' +
      'statement; and, in a new process, while one order of 600 kB fires 1 500 webhooks (once). A write takes the ' +
      'time from sending the PATCH to its 2xx; an answer of 429 or 5xx is a refusal. On two ' +
      'cores the writers\' statements take a core from running threads for a scheduler\'s slice or a tick. The ' +
      'figures with priority are measured with real-time priority for everything but the writers, also for the ' +
      'quiet business alone.',
    rows: [
      ['alone, p50', 'alone_p50', 'ms'],
      ['alone, p99', 'alone_p99', 'ms'],
      ['the same statements on a table without triggers, p50', 'unwatched_p50', 'ms'],
      ['the same statements on a table without triggers, p99', 'unwatched_p99', 'ms'],
      ['beside a hundredfold load that fires nothing, p50', 'unfired_p50', 'ms'],
      ['beside a hundredfold load that fires nothing, p99', 'unfired_p99', 'ms'],
      ['beside a hundredfold load, p50', 'loud_p50', 'ms'],
      ['beside a hundredfold load, p99', 'loud_p99', 'ms'],
      ['beside a dead destination, p50', 'dead_p50', 'ms'],
      ['beside a dead destination, p99', 'dead_p99', 'ms'],
      ['beside sixteen destinations that answer after 14 s, p50', 'slow_p50', 'ms'],
      ['beside sixteen destinations that answer after 14 s, p99', 'slow_p99', 'ms'],
      ['beside sixteen confirmations, p50', 'confirmations_p50', 'ms'],
      ['beside sixteen confirmations, p99', 'confirmations_p99', 'ms'],
      ['beside sixteen confirmations, p99 of a write', 'confirmations_write_p99', 'ms'],
      ['until all sixteen were confirmed', 'confirmations_seconds', 's'],
      ['beside nested templates, p50', 'nested_p50', 'ms'],
      ['beside nested templates, p99', 'nested_p99', 'ms'],
      ['beside 100 000 steps, p50', 'steps_p50', 'ms'],
      ['beside 100 000 steps, p99', 'steps_p99', 'ms'],
      ['beside 1 500 webhooks of 600 kB, p50', 'fan_out_p50', 'ms'],
      ['beside 1 500 webhooks of 600 kB, p99', 'fan_out_p99', 'ms'],
      ['with priority, alone, p99', 'alone_first_p99', 'ms'],
      ['with priority, beside a hundredfold load, p99', 'loud_first_p99', 'ms'],
      ['with priority, beside a dead destination, p99', 'dead_first_p99', 'ms'],
      ['beside 10 000 changes a second, p50', 'half_p50', 'ms'],
      ['beside 100 000 at once, p50', 'burst_p50', 'ms'],
      ['beside 100 000 at once, p99', 'burst_p99', 'ms'],
    ],
    limits: [
      ['p99 at half load', 'half_p99', 30, 'ms'],
      ['longest write beside sixteen confirmations', 'confirmations_write_max', 1000, 'ms'],
      ['refusals beside sixteen confirmations', 'confirmations_refusals', 1, ''],
      ['p95 beside nested templates', 'nested_p95', 100, 'ms'],
      ['peak memory of the process with 1 500 webhooks of 600 kB', 'fan_out_peak', 200, 'MB'],
    ],
    ratios: [
      ['p99 beside a hundredfold load, relative to alone', 'loud_p99', 'alone_p99', '< 2'],
      ['p99 beside a hundredfold load, relative to the same that fires nothing', 'loud_p99', 'unfired_p99', ''],
      ['p99 beside a hundredfold load, relative to the same statements on a table without triggers', 'loud_p99', 'unwatched_p99', ''],
      ['p99 beside a hundredfold load, relative to alone, both with priority', 'loud_first_p99', 'alone_first_p99', '< 2'],
      ['p99 beside a dead destination, relative to alone', 'dead_p99', 'alone_p99', '< 2'],
      ['p99 beside a dead destination, relative to a load that fires nothing', 'dead_p99', 'unfired_p99', ''],
      ['p99 beside a dead destination, relative to the same statements on a table without triggers', 'dead_p99', 'unwatched_p99', ''],
      ['p99 beside a dead destination, relative to alone, both with priority', 'dead_first_p99', 'alone_first_p99', '< 2'],
      ['p99 beside sixteen destinations that answer after 14 s, relative to alone', 'slow_p99', 'alone_p99', '< 2'],
      ['p99 beside 100 000 at once, relative to alone', 'burst_p99', 'alone_p99', ''],
    ],
  },
  import: {
    title: 'Import',
    text:
      'The first import of a WooCommerce store of 10 000 orders, two items each, of 2 500 customers. The store is a ' +
      'Node.js server that answers at once from prepared JSON. Time runs from the request to the end of the run, ' +
      'with the event triggers and a worker that matches. The targets are 2 000 orders/s and a growth of less than ' +
      '60 MB.',
    rows: [
      ['orders imported', 'import', 'orders/s'],
      ['growth of the process', 'import_growth', 'MB'],
    ],
  },
  api: {
    title: 'API at a million orders',
    text:
      '1 000 000 orders of 200 businesses, each request with the token of one of them. GET and list with 64 ' +
      'connections; lists with `$search` (one word: three digits or more of an order\'s number) or `$filter`, newest ' +
      'first, with 16; positions in batches of 100 with 8. A CSV of 100 000 customers is uploaded and confirmed ' +
      'once.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['pgbench, its statement', 'get_pgbench', 'statements/s'],
      ['Fastify 5 + pg, GET by id', 'get_fastify', 'requests/s'],
      ['waybill, list with totalCount', 'list', 'requests/s'],
      ['Fastify 5 + pg, list with exact count', 'list_fastify', 'requests/s'],
      ['$search, one word', 'search', 'requests/s'],
      ['$search, two digits, without an index', 'short', 'requests/s'],
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
      ['… growth of memory', 'upload_growth', 100, 'MB'],
    ],
    ratios: [
      ['GET by id, relative to Fastify', 'get', 'get_fastify', '≥ 2.3'],
      ['GET by id, relative to pgbench', 'get', 'get_pgbench', '≥ 0.9'],
      ['list, relative to Fastify', 'list', 'list_fastify', '≥ 8'],
    ],
  },
  'lists-million': filteredLists('Filtered lists at a million orders', '1 000 000 orders'),
  'changes-million': changesThroughTheApi('Changes at a million orders', '1 000 000 orders'),
  directus: {
    title: 'Directus at a million orders',
    text: 'The tables of the previous section, copied for Directus 12; 64 connections.',
    rows: [
      ['waybill, GET by id', 'get', 'requests/s'],
      ['Directus, GET by id', 'get_directus', 'requests/s'],
      ['waybill, list with totalCount', 'list', 'requests/s'],
      ['Directus, list with filter_count', 'list_directus', 'requests/s'],
    ],
    ratios: [
      ['GET by id, relative to Directus', 'get', 'get_directus', '≥ 40'],
      ['list, relative to Directus', 'list', 'list_directus', '≥ 25'],
    ],
  },
  console: {
    title: 'Console',
    text:
      'The console in Chromium, for a business with 1 000 000 orders and 1 000 000 runs: from a click until the rows are ' +
      'painted, and from the end of typing until the found order is. Over a link with a round trip of 300 ms: from the ' +
      'address until the first rows of orders, with an empty cache and with a full one, and the requests that waited for ' +
      'each other.',
    rows: [],
    limits: [
      ['rows of orders', 'orders_rows', 300, 'ms'],
      ['rows of runs', 'runs_rows', 300, 'ms'],
      ['search', 'search', 100, 'ms'],
      ['first rows, 300 ms, empty cache', 'slow_empty', 2500, 'ms'],
      ['first rows, 300 ms, full cache', 'slow_full', 1000, 'ms'],
      ['requests in a row, empty cache', 'slow_in_a_row', 3, ''],
    ],
  },
  history: {
    title: 'Ten million runs',
    text:
      'A page of 50 runs of a business that has 10 000 000 of 30 days, with `totalCount`, one request at a time, ' +
      'one of the first twenty pages. The overview of its 50 workflows, the statistics of the 30 days by hour, and ' +
      '`explain` of an order with ten events.',
    rows: [
      ['all runs, p50', 'all_p50', 'ms'],
      ['runs of the busiest workflow, p50', 'workflow_p50', 'ms'],
      ['runs of a workflow with 0.5 % of all runs, p50', 'rare_p50', 'ms'],
      ['runs of a workflow that ran on one day, p50', 'once_p50', 'ms'],
      ['dead runs, p50', 'dead_p50', 'ms'],
      ['dead runs of the workflow with 0.5 %, p50', 'dead_rare_p50', 'ms'],
      ['runs of a day, p50', 'day_p50', 'ms'],
      ['runs of 24 hours from 6 to 6, p50', 'hours_p50', 'ms'],
      ['runs of a record, p50', 'entity_p50', 'ms'],
      ['overview, p50', 'overview_p50', 'ms'],
      ['statistics, p50', 'stats_p50', 'ms'],
      ['explain of an order, p50', 'explain_p50', 'ms'],
    ],
    limits: [
      ['all runs, p99', 'all_p99', 50, 'ms'],
      ['runs of the busiest workflow, p99', 'workflow_p99', 50, 'ms'],
      ['runs of a workflow with 0.5 % of all runs, p99', 'rare_p99', 50, 'ms'],
      ['runs of a workflow that ran on one day, p99', 'once_p99', 50, 'ms'],
      ['dead runs, p99', 'dead_p99', 50, 'ms'],
      ['dead runs of the workflow with 0.5 %, p99', 'dead_rare_p99', 50, 'ms'],
      ['runs of a day, p99', 'day_p99', 50, 'ms'],
      ['runs of 24 hours from 6 to 6, p99', 'hours_p99', 50, 'ms'],
      ['runs of a record, p99', 'entity_p99', 50, 'ms'],
      ['overview, p99', 'overview_p99', 100, 'ms'],
      ['statistics, p99', 'stats_p99', 100, 'ms'],
      ['explain of an order, p99', 'explain_p99', 100, 'ms'],
    ],
  },
};
