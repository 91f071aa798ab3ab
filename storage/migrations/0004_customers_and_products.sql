-- Customers and products, two of the four record types, with their lists, SKUs, presets and uploads.
--
-- Rules for all record tables (customers, products, orders, shipments):
-- - business_id leads every key, so that a table can be distributed by it.
-- - An order's items, a shipment's packages, a customer's contacts and references and a product's variants are stored in
--   the row they belong to: they are written, read and compared with it (docs/decisions/0003).
-- - Constraints refuse values that no response can show: times that are infinite or outside the years 1 to 9999, and
--   numbers that are infinite, NaN (greater than all others) or at least 10^12. greatest and least skip nulls.
-- - $search looks into search_text(row). PostgreSQL inlines the function, so `r.search_text like …` uses the trigram
--   index of the same expression. The index begins with business_id, so rows of other businesses cost nothing.
-- - A writer needs no rights but those on the record table. Therefore the trigger functions are `security definer` with
--   a fixed search_path, and only the owner may execute them: attached to another table, they would run with the
--   owner's rights (docs/decisions/0022).

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
-- Orders also show and filter by deleted customers.
create index customers_by_name on customers (business_id, name, guid);
create index customers_by_email on customers (business_id, email nulls first, guid);

create function search_text(c customers) returns text language sql immutable as $$
  select lower(coalesce(c.name, '') || E'\n' || coalesce(c.email, '') || E'\n' || coalesce(c.phone, '') || E'\n' ||
               coalesce(c.company, '') || E'\n' || coalesce(c.street, '') || E'\n' || coalesce(c.city, '') || E'\n' ||
               coalesce(c.postal_code, '') || E'\n' || coalesce(c.state, '') || E'\n' || coalesce(c.country, '')) $$;
create index customers_by_text on customers using gin (business_id,
  lower(coalesce(name, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(phone, '') || E'\n' ||
        coalesce(company, '') || E'\n' || coalesce(street, '') || E'\n' || coalesce(city, '') || E'\n' ||
        coalesce(postal_code, '') || E'\n' || coalesce(state, '') || E'\n' || coalesce(country, '')) gin_trgm_ops);
create trigger touch before update on customers for each row execute function touch_updated_at();

-- Returns the customer with this e-mail address. Adds one if there is none, or if the address is null.
create function find_or_add_customer(business uuid, customer_name text, customer_email text, customer_phone text)
returns uuid language plpgsql as $$
declare
  found_guid uuid;
begin
  loop
    select guid into found_guid from customers
    where business_id = business and lower(email) = lower(customer_email) and deleted_at is null;
    exit when found;
    insert into customers (business_id, name, email, phone)
    values (business, customer_name, customer_email, customer_phone)
    on conflict (business_id, lower(email)) where deleted_at is null do nothing
    returning guid into found_guid;
    exit when found;
  end loop;
  return found_guid;
end $$;
revoke execute on function find_or_add_customer(uuid, text, text, text) from public;

-- Uploaded files of customers. Their rows are applied once the user confirms them.
create table customer_uploads (
  business_id   uuid not null references businesses,
  guid          uuid not null,
  created_at    timestamptz not null default now(),
  confirmed_at  timestamptz,
  primary key (business_id, guid)
);
create index customer_uploads_by_age on customer_uploads (created_at);  -- expires uploads of all businesses

-- The rows of a file, some thousands in each part. Entry n of each array belongs to row n of the part.
create table customer_upload_parts (
  business_id   uuid not null,
  upload_id     uuid not null,
  part          integer not null,
  lines         integer[] not null,
  names         text[] not null,
  emails        text[] not null,
  phones        text[] not null,
  companies     text[] not null,
  streets       text[] not null,
  cities        text[] not null,
  states        text[] not null,
  postal_codes  text[] not null,
  countries     text[] not null,
  primary key (business_id, upload_id, part),
  foreign key (business_id, upload_id) references customer_uploads on delete cascade
);

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

create function search_text(p products) returns text language sql immutable as $$
  select lower(coalesce(p.name, '') || E'\n' || coalesce(p.sku, '') || E'\n' || coalesce(p.description, '') || E'\n' ||
               coalesce(p.barcode, '')) $$;
create index products_by_text on products using gin (business_id,
  lower(coalesce(name, '') || E'\n' || coalesce(sku, '') || E'\n' || coalesce(description, '') || E'\n' ||
        coalesce(barcode, '')) gin_trgm_ops);
create trigger touch before update on products for each row execute function touch_updated_at();

-- The number of variants, a field of lists.
create function variant_count(p products) returns integer language sql immutable as $$
  select jsonb_array_length(p.variants) $$;

-- SKUs in use by products and variants, unique within a business. Triggers on products write them, so a second
-- transaction that takes the same SKU waits for the first and is then refused.
create table product_skus (
  business_id  uuid not null,
  sku          text not null,
  product_id   uuid not null,
  constraint product_skus_unique primary key (business_id, sku)
);

-- The SKUs that a product and its variants use; none if it is deleted.
create function skus_of(p products) returns setof text language sql immutable as $$
  select s from (select p.sku union all select e ->> 'sku' from jsonb_array_elements(p.variants) e) k (s)
  where s is not null and p.deleted_at is null $$;

-- Takes the SKUs in their order, so that two transactions with several equal SKUs do not deadlock.
create function update_product_skus() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
declare
  old_skus text[] := case when tg_op <> 'INSERT' then array(select skus_of(old)) else '{}' end;
  new_skus text[] := case when tg_op <> 'DELETE' then array(select skus_of(new)) else '{}' end;
begin
  delete from product_skus
  where business_id = old.business_id and product_id = old.guid
    and sku in (select unnest(old_skus) except all select unnest(new_skus));
  insert into product_skus (business_id, sku, product_id)
  select new.business_id, added.sku, new.guid
  from (select unnest(new_skus) except all select unnest(old_skus)) added (sku) order by added.sku;
  return null;
end $$;
revoke execute on function update_product_skus() from public;
create trigger skus_after_insert after insert on products for each row execute function update_product_skus();
create trigger skus_after_update after update of sku, variants, deleted_at on products for each row
  when ((old.sku, old.variants, old.deleted_at is null) is distinct from (new.sku, new.variants, new.deleted_at is null))
  execute function update_product_skus();
create trigger skus_after_delete after delete on products for each row execute function update_product_skus();

-- The number of the last generated SKU of each business (SKU-000001).
create table sku_numbers (
  business_id  uuid primary key references businesses,
  last_number  bigint not null
);

-- The business's next free SKU. Locks its row of sku_numbers until the transaction ends, so that no two transactions
-- get the same one.
create function next_sku(business uuid) returns text language plpgsql as $$
declare
  number bigint;
  candidate text;
begin
  insert into sku_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from sku_numbers where business_id = business for update;
  loop
    number := number + 1;
    candidate := 'SKU-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from product_skus where business_id = business and sku = candidate);
  end loop;
  update sku_numbers set last_number = number where business_id = business;
  return candidate;
end $$;
revoke execute on function next_sku(uuid) from public;

create table product_settings (
  business_id          uuid primary key references businesses,
  auto_generate_sku    boolean not null default false,
  default_unit         text not null default 'cm' check (default_unit in ('cm', 'in', 'm')),
  default_weight_unit  text not null default 'kg' check (default_weight_unit in ('kg', 'g', 'lb', 'oz'))
);

create table dimension_presets (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  name         text not null check (name <> ''),
  length       numeric not null check (length >= 0),
  width        numeric not null check (width >= 0),
  height       numeric not null check (height >= 0),
  weight       numeric check (weight >= 0),
  unit         text not null check (unit in ('cm', 'in', 'm')),
  weight_unit  text not null check (weight_unit in ('kg', 'g', 'lb', 'oz')),
  created_at   timestamptz not null default now(),
  primary key (business_id, guid),
  constraint dimension_presets_numbers_in_range check (greatest(length, width, height, weight) < 1e12)
);

-- Converts a length or weight and rounds it to four decimals. The same unit leaves it unchanged.
create function in_unit(measure numeric, unit text, wanted text) returns numeric language sql immutable as $$
  select case when unit = wanted then measure else trim_scale(round(measure * (
    select max(factor) filter (where name = unit) / max(factor) filter (where name = wanted)
    from (values ('m', 1), ('cm', 0.01), ('in', 0.0254), ('kg', 1), ('g', 0.001), ('lb', 0.45359237),
                 ('oz', 0.028349523125)) u (name, factor)), 4)) end $$;

-- The element of a record's list (a contact, a reference, a variant) with this guid; null if there is none.
create function list_element(list jsonb, element_guid text) returns jsonb language sql immutable as $$
  select e from jsonb_array_elements(list) with ordinality l (e, n) where lower(e ->> 'guid') = element_guid
  order by n limit 1 $$;

-- The element with the values of `change`. Other values stay, also within its dimensions.
create function changed_element(element jsonb, change jsonb) returns jsonb language sql immutable as $$
  select element || change ||
         case when jsonb_typeof(change -> 'dimensions') = 'object' and jsonb_typeof(element -> 'dimensions') = 'object'
           then jsonb_build_object('dimensions', (element -> 'dimensions') || (change -> 'dimensions'))
           else '{}' end $$;

-- The list with that element changed by changed_element.
create function list_with_changed(list jsonb, element_guid text, change jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(case when lower(e ->> 'guid') = element_guid then changed_element(e, change) else e end
                            order by n), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;

-- The list without that element.
create function list_without(list jsonb, element_guid text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(e order by n) filter (where lower(e ->> 'guid') is distinct from element_guid), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;
