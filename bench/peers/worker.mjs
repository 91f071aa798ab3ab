// The peer of the worker: graphile-worker, tuned (jobs fetched and completed in batches), whose one task sends a signed
// webhook with undici over persistent connections. RECEIVER is the receiver's URL, BODY_SIZE the size of a body. libpq's
// environment variables name the PostgreSQL server.
import crypto from 'node:crypto';
import { run } from 'graphile-worker';
import pg from 'pg';
import { Pool } from 'undici';
import { tuned } from './tuned.mjs';

const concurrency = Number(process.env.CONCURRENCY ?? 24);
const bodySize = Number(process.env.BODY_SIZE ?? 1000);
const key = Buffer.alloc(32, 'k');
// Requests share one connection if the receiver chooses HTTP/2.
const receiver = process.env.HTTP2 === '1'
  ? new Pool(process.env.RECEIVER, { connections: 1, pipelining: concurrency, allowH2: true })
  : new Pool(process.env.RECEIVER, { connections: concurrency, pipelining: 1, allowH2: false });
const filler = 'x'.repeat(bodySize);

// Standard Webhooks signs id.timestamp.body.
async function deliver(payload) {
  const now = Date.now();
  const head = JSON.stringify({ type: 'order_status_changed', timestamp: new Date(now).toISOString(), data: payload });
  const body = `${head.slice(0, -1)},"filler":"${filler.slice(0, Math.max(0, bodySize - head.length - 12))}"}`;
  const id = `msg_${payload.order}`;
  const timestamp = String(Math.floor(now / 1000));
  const signature = crypto.createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const answer = await receiver.request({
    path: '/hook',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
}

const pgPool = new pg.Pool({ max: concurrency + 1 });
await run({
  preset: tuned(pgPool, concurrency),
  taskList: { deliver },
});
console.log('ready');
