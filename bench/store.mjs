// A WooCommerce store that answers at once: store.mjs ORDERS. Prints "listening on PORT". Its orders changed one each second
// until an hour ago, and their JSON exists before the first call. Lists accept modified_after, modified_before and pages.
import http from 'node:http';

const orders = Number(process.argv[2]);
const last = Math.floor(Date.now() / 1000) - 3600;
const time = (second) => new Date(second * 1000).toISOString().slice(0, 19);
const address = (n) => ({
  first_name: 'Jana', last_name: `Lindström ${n}`, company: '', address_1: `Storgatan ${n}`, address_2: '', city: 'Göteborg',
  state: '', postcode: '411 24', country: 'SE', phone: '+46 31 123 45 67',
});
const items = (n) =>
  [1, 2].map((i) => ({
    id: n * 10 + i, name: `Tröja &ndash; Blå ${i}`, product_id: 93, variation_id: 94, quantity: i, subtotal: '40.00', total: '40.00',
    total_tax: '7.60', taxes: [], sku: `TEE-${i}`, price: 20, meta_data: [],
  }));

const list = [];
for (let n = 1; n <= orders; ++n) {
  const changed = time(last - orders + n);
  list.push(JSON.stringify({
    id: n, number: `W-${n}`, status: 'processing', currency: 'EUR', total: '53.43', total_tax: '8.53', customer_id: n,
    customer_note: '', billing: { ...address(n), email: `jana${n % Math.ceil(orders / 4)}@example.com` }, shipping: address(n),
    line_items: items(n), refunds: [], meta_data: [], date_created: changed, date_created_gmt: changed,
    date_modified: changed, date_modified_gmt: changed,
  }));
}

// The number of orders that changed at or before this moment.
const until = (text) => Math.min(Math.max(Date.parse(`${text}Z`) / 1000 - last + orders, 0), orders);

const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://store');
  const query = url.searchParams;
  const route = url.pathname.replace('/wp-json/', '');
  request.resume();
  response.setHeader('Content-Type', 'application/json; charset=UTF-8');
  if (route !== 'wc/v3/orders') return response.end('[]');
  const after = query.has('modified_after') ? until(query.get('modified_after')) : 0;
  const before = query.has('modified_before') ? until(query.get('modified_before')) - 1 : orders;
  const size = Number(query.get('per_page') ?? 10);
  const first = after + (Number(query.get('page') ?? 1) - 1) * size;
  const total = Math.max(before - after, 0);
  response.setHeader('X-WP-Total', total);
  response.setHeader('X-WP-TotalPages', Math.ceil(total / size));
  response.end(`[${list.slice(first, Math.min(first + size, before)).join(',')}]`);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
