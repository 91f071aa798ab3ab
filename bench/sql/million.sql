-- :orders orders of :businesses businesses, 200 customers and a tracking device each, written without events. Guids and
-- tokens end in numbers, so that load programs can name any of them. Businesses differ in size: the share
-- of the k-th falls with 1/k (of 200 the largest has an eighth, the smallest a thousandth).
set session_replication_role = replica;

insert into businesses (guid, name, plan)
select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid, 'Bench ' || k, 'unlimited'
from generate_series(0, :businesses - 1) k;
insert into api_tokens (business_id, name, token_hash)
select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid, 'bench', sha256(convert_to('wb_bench_' || k, 'UTF8'))
from generate_series(0, :businesses - 1) k;
insert into tracking_devices (business_id, device_id, type)
select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid, 'bench-' || k, 'gps_tracker'
from generate_series(0, :businesses - 1) k;

insert into customers (business_id, guid, name, email, phone, company, street, city, postal_code, country)
select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid, ('00000000-0000-4000-9000-' || 100000000000 + c)::uuid,
       'Customer ' || c, 'customer' || c || '@example.com', '+49 30 ' || c, 'Company ' || c % 50, c % 20 || ' Main Street',
       'City ' || c % 30, '10115', 'DE'
from generate_series(0, :businesses - 1) k, generate_series(0, 199) c;

insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city,
                    delivery_postal_code, delivery_country, service_level, total_value, currency, notes, created_at)
select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid, ('00000000-0000-4000-8000-' || 100000000000 + n)::uuid,
       'ORD-' || lpad(n::text, 7, '0'),
       (array['pending', 'processing', 'ready', 'shipped', 'delivered', 'delivered', 'delivered', 'cancelled'])[1 + n / 7 % 8],
       ('00000000-0000-4000-9000-' || 100000000000 + n / 7 % 200)::uuid,
       jsonb_build_array(jsonb_build_object(
         'guid', ('00000000-0000-4000-a000-' || 100000000000 + n)::uuid, 'description', 'Article ' || n % 900,
         'sku', 'SKU-' || n % 900, 'productId', null, 'quantity', 2, 'price', 10 + n % 90,
         'dimensions', jsonb_build_object('length', 30, 'width', 20, 'height', 10, 'weight', 2.5))),
       n % 200 || ' Station Road', 'City ' || n % 16, lpad((n % 99999)::text, 5, '0'), 'DE', 'standard', (10 + n % 90) * 2,
       'EUR', 'note for order ' || n, timestamptz '2024-01-01' + n * interval '1 minute'
from (select n, least(:businesses, floor(exp((n::bigint * 2654435761 % 4294967296)::float8 / 4294967296
                                             * ln((:businesses + 1)::float8)))::int) - 1 as k
      from generate_series(1, :orders) n) orders;

insert into record_counts (business_id, entity_type, delta)
select business_id, 0, count(*) from orders where business_id >= '00000000-0000-4000-b000-100000000000'
  and business_id < '00000000-0000-4000-b001-000000000000' group by business_id
union all
select guid, 2, 200 from businesses where name like 'Bench %';

insert into status_counts (business_id, entity_type, status_after, records)
select business_id, 0, status, count(*) from orders where business_id >= '00000000-0000-4000-b000-100000000000'
  and business_id < '00000000-0000-4000-b001-000000000000' group by business_id, status;

reset session_replication_role;
vacuum analyze businesses, api_tokens, customers, orders, record_counts, status_counts;
