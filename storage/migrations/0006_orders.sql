-- Orders. The rules for record tables are in 0004_customers_and_products.sql.

create table orders (
  business_id           uuid not null references businesses,
  guid                  uuid not null default gen_random_uuid(),
  order_number          text not null check (order_number <> ''),
  status                text not null default 'pending'
                        check (status in ('draft', 'pending', 'processing', 'ready', 'shipped', 'delivered', 'cancelled')),
  customer_id           uuid,
  items                 json not null default '[]' check (json_typeof(items) = 'array'),  -- see store_canonical_items
  delivery_street       text,
  delivery_city         text,
  delivery_state        text,
  delivery_postal_code  text,
  delivery_country      text,
  carrier_id            uuid,
  service_level         text,
  total_value           numeric(14, 2) not null default 0 check (total_value >= 0),
  currency              text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  collection_date       timestamptz(3),
  collection_start      text,
  collection_end        text,
  notes                 text,
  integration_id        uuid,  -- the store it was imported from; null: made here
  external_id           text,  -- its id in that store
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  deleted_at            timestamptz(3),
  primary key (business_id, guid),
  constraint orders_numbers_in_range check (total_value < 1e12),
  constraint orders_times_in_range check (
    least(created_at, updated_at, deleted_at, collection_date)
      >= timestamptz '0001-01-01 00:00:00+00'
    and greatest(created_at, updated_at, deleted_at, collection_date)
      < timestamptz '10000-01-01 00:00:00+00'),
  constraint orders_import_whole check ((integration_id is null) = (external_id is null))
);
-- Numbers of orders made here are unique within the business. Imported orders keep the store's numbers, which may occur
-- again, so their guid completes the key. One index of all numbers also serves $filter and $orderby.
create unique index orders_number_unique on orders
  (business_id, order_number, (case when integration_id is null then business_id else guid end)) where deleted_at is null;
create unique index orders_external_unique on orders (business_id, integration_id, external_id)
  where integration_id is not null;
create index orders_by_creation on orders (business_id, created_at, guid) where deleted_at is null;
create index orders_by_status on orders (business_id, status, created_at, guid) where deleted_at is null;
create index orders_by_customer on orders (business_id, customer_id, created_at, guid) where deleted_at is null;
create index orders_by_change on orders (business_id, updated_at, guid) where deleted_at is null;
create index orders_by_value on orders (business_id, total_value, guid) where deleted_at is null;
create index orders_by_collection on orders (business_id, collection_date nulls first, guid)
  where deleted_at is null;
create index orders_by_city on orders (business_id, delivery_city nulls first) where deleted_at is null;
-- Columns with few distinct values: filters on them count rows in one small index (docs/decisions/0008).
create index orders_by_kind on orders (business_id, carrier_id, service_level, delivery_country, delivery_state, currency)
  where deleted_at is null;

create function search_text(o orders) returns text language sql immutable as $$
  select lower(coalesce(o.order_number, '') || E'\n' || coalesce(o.delivery_street, '') || E'\n' ||
               coalesce(o.delivery_city, '') || E'\n' || coalesce(o.delivery_postal_code, '') || E'\n' ||
               coalesce(o.delivery_state, '') || E'\n' || coalesce(o.delivery_country, '') || E'\n' ||
               coalesce(o.notes, '')) $$;
create index orders_by_text on orders using gin (business_id,
  lower(coalesce(order_number, '') || E'\n' || coalesce(delivery_street, '') || E'\n' || coalesce(delivery_city, '') ||
        E'\n' || coalesce(delivery_postal_code, '') || E'\n' || coalesce(delivery_state, '') || E'\n' ||
        coalesce(delivery_country, '') || E'\n' || coalesce(notes, '')) gin_trgm_ops);
create trigger touch before update on orders for each row execute function touch_updated_at();

-- Items are read whole, and much more often than written: text costs nothing to read, while jsonb is printed for each
-- reader. The text is what jsonb prints, so it is as strict: no duplicate names, no U+0000.
create function store_canonical_items() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  new.items := new.items::jsonb;
  return new;
end $$;
revoke execute on function store_canonical_items() from public;
create trigger canonical_items before insert or update of items on orders for each row
  execute function store_canonical_items();

-- The total value of an order's items.
create function items_value(items json) returns numeric language sql immutable as $$
  select coalesce(round(sum((i ->> 'quantity')::numeric * coalesce((i ->> 'price')::numeric, 0)), 2), 0)
  from json_array_elements(items) i $$;

-- The number of the last generated order number of each business (ORD-000001).
create table order_numbers (
  business_id  uuid primary key references businesses,
  last_number  bigint not null
);

-- The business's next free order number. Numbers that clients have given are skipped. Locks the business's row of
-- order_numbers until the transaction ends, so that no two transactions get the same one.
create function next_order_number(business uuid) returns text language plpgsql as $$
declare
  number bigint;
  candidate text;
begin
  insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from order_numbers where business_id = business for update;
  loop
    number := number + 1;
    candidate := 'ORD-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from orders where business_id = business and order_number = candidate
                          and deleted_at is null and integration_id is null);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return candidate;
end $$;
revoke execute on function next_order_number(uuid) from public;
