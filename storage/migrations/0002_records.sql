-- Orders, shipments, customers, products and carriers. business_id leads every key, so that the tables can be
-- distributed by it. An order's items, a shipment's packages, a customer's contacts and references and a product's
-- variants live in the row they belong to: they are written, read and compared with it (docs/decisions/0003).
-- What no answer can show is refused to whoever writes it: times that are infinite or outside the years 1 to 9999, and
-- numbers that are infinite, NaN (greater than all others) or not below 10^12. greatest and least skip nulls.

create function touch_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;

create table carriers (
  business_id     uuid not null,  -- nil: the built-in catalogue, which every business sees
  guid            uuid not null default gen_random_uuid(),
  name            text not null check (name <> ''),
  code            text not null check (code <> ''),
  type            text not null check (type in ('courier', 'freight', 'lastmile')),
  service_levels  jsonb not null default '[]' check (jsonb_typeof(service_levels) = 'array'),
  features        jsonb not null default '[]' check (jsonb_typeof(features) = 'array'),
  created_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),  -- orders and shipments go on showing its name
  primary key (business_id, guid),
  constraint carriers_times_in_range check (created_at >= timestamptz '0001-01-01 00:00:00+00'
                                            and created_at < timestamptz '10000-01-01 00:00:00+00')
);
create unique index carriers_code_unique on carriers (business_id, code) where deleted_at is null;

create table customers (
  business_id     uuid not null references businesses,
  guid            uuid not null default gen_random_uuid(),
  name            text not null check (name <> ''),
  email           text,
  phone           text,
  company         text,
  street          text,
  city            text,
  state           text,
  postal_code     text,
  country         text,
  contacts        jsonb not null default '[]' check (jsonb_typeof(contacts) = 'array'),
  reference_list  jsonb not null default '[]' check (jsonb_typeof(reference_list) = 'array'),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  primary key (business_id, guid) include (name),  -- lists of what belongs to customers show their names
  constraint customers_times_in_range check (
    least(created_at, updated_at, deleted_at)
      >= timestamptz '0001-01-01 00:00:00+00'
    and greatest(created_at, updated_at, deleted_at)
      < timestamptz '10000-01-01 00:00:00+00')
);
create unique index customers_email_unique on customers (business_id, lower(email)) where deleted_at is null;
create index customers_by_creation on customers (business_id, created_at, guid) where deleted_at is null;
create index customers_by_change on customers (business_id, updated_at, guid) where deleted_at is null;
create index customers_by_city on customers (business_id, city nulls first) where deleted_at is null;
create index customers_by_region on customers (business_id, country, state) where deleted_at is null;
-- Orders show deleted ones too, and are asked for by them.
create index customers_by_name on customers (business_id, name, guid);
create index customers_by_email on customers (business_id, email nulls first, guid);

create table products (
  business_id     uuid not null references businesses,
  guid            uuid not null default gen_random_uuid(),
  name            text not null check (name <> ''),
  sku             text,
  description     text,
  barcode         text,
  price           numeric(14, 2) check (price >= 0),
  cost            numeric(14, 2) check (cost >= 0),
  weight          numeric check (weight >= 0),
  length          numeric check (length >= 0),
  width           numeric check (width >= 0),
  height          numeric check (height >= 0),
  variants        jsonb not null default '[]' check (jsonb_typeof(variants) = 'array'),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  primary key (business_id, guid),
  constraint products_numbers_in_range check (greatest(price, cost, weight, length, width, height) < 1e12),
  constraint products_times_in_range check (
    least(created_at, updated_at, deleted_at)
      >= timestamptz '0001-01-01 00:00:00+00'
    and greatest(created_at, updated_at, deleted_at)
      < timestamptz '10000-01-01 00:00:00+00')
);
create unique index products_sku_unique on products (business_id, sku nulls first) where deleted_at is null;
create index products_by_creation on products (business_id, created_at, guid) where deleted_at is null;
create index products_by_change on products (business_id, updated_at, guid) where deleted_at is null;
create index products_by_name on products (business_id, name, guid) where deleted_at is null;
create index products_by_price on products (business_id, price nulls first, guid) where deleted_at is null;
create index products_by_cost on products (business_id, cost nulls first, guid) where deleted_at is null;
create index products_by_weight on products (business_id, weight nulls first, guid) where deleted_at is null;

create table orders (
  business_id           uuid not null references businesses,
  guid                  uuid not null default gen_random_uuid(),
  order_number          text not null check (order_number <> ''),
  status                text not null default 'pending'
                        check (status in ('draft', 'pending', 'processing', 'ready', 'shipped', 'delivered', 'cancelled')),
  customer_id           uuid,
  items                 json not null default '[]' check (json_typeof(items) = 'array'),  -- see canonical_items
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
  integration_id        uuid,  -- the store it was imported from, with its id there
  external_id           text,
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
-- Numbers of orders made here are unique among themselves, imported ones within their integration, which sees to it. One
-- index of all numbers serves $filter and $orderby as well: an imported order's last part is its own.
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
-- What takes few values: counted in one small index (docs/decisions/0008).
create index orders_by_kind on orders (business_id, carrier_id, service_level, delivery_country, delivery_state, currency)
  where deleted_at is null;

-- The next ORD-000001 of each business; taken by the insert that needs it.
create table order_numbers (
  business_id  uuid primary key references businesses,
  last_number  bigint not null
);

create table shipments (
  business_id            uuid not null references businesses,
  guid                   uuid not null default gen_random_uuid(),
  tracking_number        text not null check (tracking_number <> ''),
  status                 text not null default 'created'
                         check (status in ('created', 'collected', 'in_transit', 'out_for_delivery', 'delivered',
                                           'exception', 'returned', 'cancelled')),
  order_id               uuid,
  customer_id            uuid,
  sender_name            text,
  sender_street          text,
  sender_city            text,
  sender_state           text,
  sender_postal_code     text,
  sender_country         text,
  sender_phone           text,
  recipient_name         text,
  recipient_street       text,
  recipient_city         text,
  recipient_state        text,
  recipient_postal_code  text,
  recipient_country      text,
  recipient_phone        text,
  packages               jsonb not null default '[]' check (jsonb_typeof(packages) = 'array'),
  carrier_id             uuid,
  service_level          text,
  instructions           text,
  collection_date        timestamptz(3),
  estimated_delivery     timestamptz(3),
  delivered_at           timestamptz(3),
  dispatch_id            uuid,
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  deleted_at             timestamptz(3),
  primary key (business_id, guid),
  constraint shipments_times_in_range check (
    least(created_at, updated_at, deleted_at, collection_date, estimated_delivery, delivered_at)
      >= timestamptz '0001-01-01 00:00:00+00'
    and greatest(created_at, updated_at, deleted_at, collection_date, estimated_delivery, delivered_at)
      < timestamptz '10000-01-01 00:00:00+00')
);
create unique index shipments_tracking_unique on shipments (business_id, tracking_number) where deleted_at is null;
create index shipments_by_creation on shipments (business_id, created_at, guid) where deleted_at is null;
create index shipments_by_status on shipments (business_id, status, created_at, guid) where deleted_at is null;
create index shipments_by_order on shipments (business_id, order_id) where deleted_at is null;
create index shipments_by_customer on shipments (business_id, customer_id, created_at) where deleted_at is null;

-- What $search looks into. The functions are inlined, so that `r.search_text like …` finds the trigram indexes, which are
-- read for one business: what others have with the same letters costs it nothing.
create function search_text(o orders) returns text language sql immutable as $$
  select lower(coalesce(o.order_number, '') || E'\n' || coalesce(o.delivery_street, '') || E'\n' ||
               coalesce(o.delivery_city, '') || E'\n' || coalesce(o.delivery_postal_code, '') || E'\n' ||
               coalesce(o.delivery_state, '') || E'\n' || coalesce(o.delivery_country, '') || E'\n' ||
               coalesce(o.notes, '')) $$;
create function search_text(s shipments) returns text language sql immutable as $$
  select lower(coalesce(s.tracking_number, '') || E'\n' || coalesce(s.sender_name, '') || E'\n' ||
               coalesce(s.recipient_name, '') || E'\n' || coalesce(s.recipient_street, '') || E'\n' ||
               coalesce(s.recipient_city, '')) $$;
create function search_text(c customers) returns text language sql immutable as $$
  select lower(coalesce(c.name, '') || E'\n' || coalesce(c.email, '') || E'\n' || coalesce(c.phone, '') || E'\n' ||
               coalesce(c.company, '') || E'\n' || coalesce(c.street, '') || E'\n' || coalesce(c.city, '') || E'\n' ||
               coalesce(c.postal_code, '') || E'\n' || coalesce(c.state, '') || E'\n' || coalesce(c.country, '')) $$;
create function search_text(p products) returns text language sql immutable as $$
  select lower(coalesce(p.name, '') || E'\n' || coalesce(p.sku, '') || E'\n' || coalesce(p.description, '') || E'\n' ||
               coalesce(p.barcode, '')) $$;
create index orders_by_text on orders using gin (business_id,
  lower(coalesce(order_number, '') || E'\n' || coalesce(delivery_street, '') || E'\n' || coalesce(delivery_city, '') ||
        E'\n' || coalesce(delivery_postal_code, '') || E'\n' || coalesce(delivery_state, '') || E'\n' ||
        coalesce(delivery_country, '') || E'\n' || coalesce(notes, '')) gin_trgm_ops);
create index shipments_by_text on shipments using gin (business_id,
  lower(coalesce(tracking_number, '') || E'\n' || coalesce(sender_name, '') || E'\n' || coalesce(recipient_name, '') ||
        E'\n' || coalesce(recipient_street, '') || E'\n' || coalesce(recipient_city, '')) gin_trgm_ops);
create index customers_by_text on customers using gin (business_id,
  lower(coalesce(name, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(phone, '') || E'\n' ||
        coalesce(company, '') || E'\n' || coalesce(street, '') || E'\n' || coalesce(city, '') || E'\n' ||
        coalesce(postal_code, '') || E'\n' || coalesce(state, '') || E'\n' || coalesce(country, '')) gin_trgm_ops);
create index products_by_text on products using gin (business_id,
  lower(coalesce(name, '') || E'\n' || coalesce(sku, '') || E'\n' || coalesce(description, '') || E'\n' ||
        coalesce(barcode, '')) gin_trgm_ops);

do $$
declare
  record_table text;
begin
  foreach record_table in array array['orders', 'shipments', 'customers', 'products'] loop
    execute format('create trigger touch before update on %I for each row execute function touch_updated_at()',
                   record_table);
  end loop;
end $$;

-- How an answer shows a timestamp.
create function iso(t timestamptz) returns text language sql stable as $$
  select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- What an order's items are worth.
create function items_value(items json) returns numeric language sql immutable as $$
  select coalesce(round(sum((i ->> 'quantity')::numeric * coalesce((i ->> 'price')::numeric, 0)), 2), 0)
  from json_array_elements(items) i $$;

-- Items are read whole, and far more often than they are written: kept as text, they are read for nothing, where jsonb is
-- printed anew each time. What is kept is what jsonb would print, so that it is as strict: no name twice, no U+0000.
create function canonical_items() returns trigger language plpgsql as $$
begin
  new.items := new.items::jsonb;
  return new;
end $$;
create trigger canonical_items before insert or update of items on orders for each row execute function canonical_items();
