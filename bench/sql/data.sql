-- 5 000 customers and :orders orders of business :business, with the statuses of the array :statuses in turn, written without
-- events. The guids end in numbers, so that load programs can name any order. Every thousandth order has own data.
set session_replication_role = replica;

-- Each measurement begins with its own vacuum. An automatic one would slow down only the measurement in which it runs.
alter table orders set (autovacuum_enabled = off);

insert into customers (business_id, guid, name, email, phone, company, street, city, postal_code, country)
select :'business', ('00000000-0000-4000-9000-' || 100000000000 + n)::uuid, 'Customer ' || n, 'customer' || n || '@example.com',
       '+49 30 ' || n, 'Company ' || n % 500, n % 200 || ' Main Street', 'City ' || n % 300, lpad((n % 99999)::text, 5, '0'), 'DE'
from generate_series(1, 5000) n;

insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city,
                    delivery_postal_code, delivery_country, service_level, total_value, currency, notes, created_at,
                    external_reference, tags, metadata)
select :'business', ('00000000-0000-4000-8000-' || 100000000000 + n)::uuid, 'ORD-' || lpad(n::text, 7, '0'),
       (:'statuses'::text[])[1 + n / 7 % cardinality(:'statuses'::text[])],
       ('00000000-0000-4000-9000-' || 100000000000 + 1 + n % 5000)::uuid,
       (select jsonb_agg(jsonb_build_object(
                 'guid', ('00000000-0000-4000-a000-' || 100000000000 + n * 3 + i)::uuid, 'description', 'Article ' || i,
                 'sku', 'SKU-' || (n * 3 + i) % 900, 'productId', null, 'quantity', 1 + i, 'price', 10 + n % 90,
                 'dimensions', jsonb_build_object('length', 30, 'width', 20, 'height', 10, 'weight', 2.5)))
        from generate_series(0, 1) i),
       n % 200 || ' Station Road', 'City ' || n % 16, lpad((n % 99999)::text, 5, '0'), 'DE', 'standard',
       (10 + n % 90) * 3, 'EUR', 'note for order ' || n, timestamptz '2026-01-01' + n * interval '1 minute',
       case when n % 1000 = 0 then 'PO-' || n / 1000 % 10 end, case when n % 1000 = 0 then jsonb '["vip"]' end,
       case when n % 1000 = 0 then jsonb '{"channel": "fair"}' end
from generate_series(1, :orders) n;

insert into record_counts (business_id, entity_type, delta)
values (:'business', 0, :orders), (:'business', 2, 5000);

insert into status_counts (business_id, entity_type, status_after, records)
select business_id, 0, status, count(*) from orders where business_id = :'business' group by business_id, status;

reset session_replication_role;
vacuum analyze customers, orders, record_counts, status_counts;
