// The peer of the API's reads: Fastify and pg on the same tables, one statement of rest/ a call, JSON built in SQL and
// passed through, an exact count for the list. BUSINESS is the business to read; without it, a token wb_bench_N names the
// business. libpq's environment variables name the PostgreSQL server.
import fastify from 'fastify';
import fs from 'node:fs';
import pg from 'pg';

const business = (request) =>
  process.env.BUSINESS ||
  `00000000-0000-4000-b000-${100000000000 + Number(request.headers.authorization.split('_').pop())}`;
const pool = new pg.Pool({ max: Number(process.env.POOL ?? 10) });
const app = fastify({ logger: false });
const jsonType = 'application/json; charset=utf-8';

const statement = (name) => fs.readFileSync(new URL(`rest/${name}.sql`, import.meta.url), 'utf8');
const get = statement('get');
const list = statement('list');

const conditions = {
  status: 'status =', otherStatus: 'status <>', customer: 'customer_id =', from: 'created_at >=', to: 'created_at <',
  city: 'delivery_city like', notes: 'notes like',
};
const orders = {
  newest: 'r.created_at desc, r.guid desc', notes: 'r.notes nulls first, r.guid', customer: 'c.name nulls first, r.guid',
};
const joins = { customer: ' left join customers c on c.business_id = r.business_id and c.guid = r.customer_id' };

// The statement and the values of the list for the parameters of a request.
function listFor(query) {
  const values = [];
  const names = Object.keys(conditions).filter((name) => query[name]);
  const where = names.map((name) => ` and r.${conditions[name]} $${2 + values.push(query[name])}`).join('');
  const sort = query.sort ?? 'newest';
  const text = list.replaceAll('/*where*/', where).replaceAll('/*order*/', orders[sort]).replace('/*join*/', joins[sort] ?? '');
  return { name: `list ${names} ${sort}`, text, values };
}

app.get('/api/v1/Orders/:guid', async (request, reply) => {
  const { rows } = await pool.query({ name: 'get', text: get, values: [business(request), request.params.guid] });
  if (rows.length === 0) return reply.code(404).send({ success: false });
  reply.header('content-type', jsonType);
  return rows[0].answer;
});

app.get('/api/v1/Orders', async (request, reply) => {
  const offset = (Number(request.query.Page ?? 1) - 1) * 50;
  const { name, text, values } = listFor(request.query);
  const { rows } = await pool.query({ name, text, values: [business(request), offset, ...values] });
  reply.header('content-type', jsonType);
  return rows[0].answer;
});

await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on ${app.server.address().port}`);
