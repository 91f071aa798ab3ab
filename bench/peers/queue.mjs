// The peers of the queue: graphile-worker, tuned (jobs fetched and completed in batches), or pg-boss with batches of 500.
// queue.mjs graphile|boss COUNT: creates COUNT jobs that do nothing, performs them, and prints the rate per second at which
// they were completed in the database. libpq's environment variables name the PostgreSQL server.
import { makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { logger, tuned } from './tuned.mjs';

const [peer, countText] = process.argv.slice(2);
const count = Number(countText);
const concurrency = 24;
const pool = new pg.Pool({ max: concurrency + 1 });
const query = async (text, values) => (await pool.query(text, values)).rows;

async function empty(text, values) {
  while ((await query(text, values)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function graphile() {
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  await query('truncate graphile_worker._private_jobs');
  await query(`select graphile_worker.add_job('nothing', json_build_object('order', i)) from generate_series(1, ${count}) i`);
  await query('vacuum analyze graphile_worker._private_jobs');
  await query('checkpoint');
  const started = performance.now();
  const runner = await run({
    preset: tuned(pool, concurrency),
    taskList: { nothing: () => {} },
  });
  await empty('select from graphile_worker._private_jobs order by id limit 1');
  const finished = performance.now();
  await runner.stop();
  return finished - started;
}

async function boss() {
  const queue = 'nothing';
  const boss = new PgBoss({ max: concurrency, host: process.env.PGHOST, database: process.env.PGDATABASE });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(queue);
  await boss.deleteAllJobs(queue);
  const most = 5000;
  for (let made = 0; made < count; made += most) {
    const jobs = Array.from({ length: Math.min(most, count - made) }, (_, i) => ({ data: { order: made + i } }));
    await boss.insert(queue, jobs);
  }
  await query('vacuum analyze');
  await query('checkpoint');
  const started = performance.now();
  await boss.work(queue, { batchSize: 500, localConcurrency: 2, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true }, async () => {});
  // Reads the waiting jobs first, which have an index; a scan would read every finished job each time.
  await empty("select from pgboss.job where name = $1 and state < 'active' order by priority desc, created_on, id limit 1", [queue]);
  await empty("select from pgboss.job where name = $1 and state < 'completed' limit 1", [queue]);
  const finished = performance.now();
  await boss.stop({ graceful: false });
  return finished - started;
}

const peers = { graphile, boss };
console.log((count / (await peers[peer]())) * 1000);
process.exit(0);
