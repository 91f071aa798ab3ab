// The peer of the API's reads: Fastify and pg on the same tables, one statement a call, JSON built in SQL and passed
// through, an exact count for the list. BUSINESS is the business to read; without it, a token wb_bench_N names the business.
// libpq's environment variables name the PostgreSQL server.
import fastify from 'fastify';
import pg from 'pg';

const business = (request) =>
  process.env.BUSINESS ??
  `00000000-0000-4000-b000-${100000000000 + Number(request.headers.authorization.split('_').pop())}`;
const pool = new pg.Pool({ max: Number(process.env.POOL ?? 10) });
const app = fastify({ logger: false });
const jsonType = 'application/json; charset=utf-8';

const get = `
select json_build_object('data', json_build_object(
  'guid', r.guid, 'orderNumber', r.order_number, 'status', r.status,
  'customer', json_build_object('guid', c.guid, 'name', c.name, 'email', c.email), 'items', r.items,
  'deliveryAddress', json_build_object('street', r.delivery_street, 'city', r.delivery_city, 'state', r.delivery_state,
                                       'postalCode', r.delivery_postal_code, 'country', r.delivery_country),
  'carrier', json_build_object('guid', r.carrier_id, 'name', (
    select k.name from carriers k
    where k.business_id in (r.business_id, '00000000-0000-0000-0000-000000000000') and k.guid = r.carrier_id)),
  'serviceLevel', r.service_level,
  'shipments', (select coalesce(json_agg(json_build_object('guid', s.guid, 'trackingNumber', s.tracking_number,
                                                           'status', s.status) order by s.created_at), '[]')
                from shipments s
                where s.business_id = r.business_id and s.order_id = r.guid and s.deleted_at is null),
  'totalValue', r.total_value, 'currency', r.currency, 'collectionDate', r.collection_date,
  'timeWindow', json_build_object('start', r.collection_start, 'end', r.collection_end), 'notes', r.notes,
  'createdAt', r.created_at, 'updatedAt', r.updated_at), 'success', true)::text as answer
from orders r left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null`;

const list = `
select json_build_object('data', coalesce((select json_agg(p.record) from (
  select json_build_object(
    'guid', r.guid, 'orderNumber', r.order_number, 'status', r.status,
    'customer', json_build_object('guid', r.customer_id, 'name', c.name),
    'items', (select json_agg(json_build_object('description', i -> 'description', 'sku', i -> 'sku',
                                                'productId', i -> 'productId', 'quantity', i -> 'quantity',
                                                'price', i -> 'price'))
              from jsonb_array_elements(r.items::jsonb) i),
    'deliveryAddress', json_build_object('street', r.delivery_street, 'city', r.delivery_city, 'state', r.delivery_state,
                                         'postalCode', r.delivery_postal_code),
    'carrier', json_build_object('guid', r.carrier_id), 'collectionDate', r.collection_date,
    'createdAt', r.created_at) as record
  from (select * from orders where business_id = $1 and deleted_at is null
        order by created_at desc, guid desc limit 50 offset $2) r
  left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
  order by r.created_at desc, r.guid desc) p), '[]'),
  'page', $2::int / 50 + 1, 'pageSize', 50,
  'totalCount', (select count(*) from orders where business_id = $1 and deleted_at is null), 'success', true)::text as answer`;

app.get('/api/v1/Orders/:guid', async (request, reply) => {
  const { rows } = await pool.query({ name: 'get', text: get, values: [business(request), request.params.guid] });
  if (rows.length === 0) return reply.code(404).send({ success: false });
  reply.header('content-type', jsonType);
  return rows[0].answer;
});

app.get('/api/v1/Orders', async (request, reply) => {
  const offset = (Number(request.query.Page ?? 1) - 1) * 50;
  const { rows } = await pool.query({ name: 'list', text: list, values: [business(request), offset] });
  reply.header('content-type', jsonType);
  return rows[0].answer;
});

await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on ${app.server.address().port}`);
