-- What customers and products have beside their records: elements of their lists, SKUs, dimension presets, uploads.

-- The element of a record's list (a contact, a variant) with this guid; null when there is none.
create function list_element(list jsonb, element_guid text) returns jsonb language sql immutable as $$
  select e from jsonb_array_elements(list) with ordinality l (e, n) where lower(e ->> 'guid') = element_guid
  order by n limit 1 $$;

-- An element with new values: what `change` leaves out stays, also within its dimensions.
create function changed_element(element jsonb, change jsonb) returns jsonb language sql immutable as $$
  select element || change ||
         case when jsonb_typeof(change -> 'dimensions') = 'object' and jsonb_typeof(element -> 'dimensions') = 'object'
           then jsonb_build_object('dimensions', (element -> 'dimensions') || (change -> 'dimensions'))
           else '{}' end $$;

-- The list with that element changed.
create function list_with_changed(list jsonb, element_guid text, change jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(case when lower(e ->> 'guid') = element_guid then changed_element(e, change) else e end
                            order by n), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;

-- The list without it.
create function list_without(list jsonb, element_guid text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(e order by n) filter (where lower(e ->> 'guid') is distinct from element_guid), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;

create table product_settings (
  business_id          uuid primary key references businesses,
  auto_generate_sku    boolean not null default false,
  default_unit         text not null default 'cm' check (default_unit in ('cm', 'in', 'm')),
  default_weight_unit  text not null default 'kg' check (default_weight_unit in ('kg', 'g', 'lb', 'oz'))
);

-- A measure in another unit, to four decimals; as it stands in the same.
create function in_unit(measure numeric, unit text, wanted text) returns numeric language sql immutable as $$
  select case when unit = wanted then measure else trim_scale(round(measure * (
    select max(factor) filter (where name = unit) / max(factor) filter (where name = wanted)
    from (values ('m', 1), ('cm', 0.01), ('in', 0.0254), ('kg', 1), ('g', 0.001), ('lb', 0.45359237),
                 ('oz', 0.028349523125)) u (name, factor)), 4)) end $$;

-- The SKUs in use, of products and of their variants: one name space of each business, whoever writes. Kept by triggers
-- on products, so that a second transaction that takes the same SKU waits for the first and is then refused.
create table product_skus (
  business_id  uuid not null,
  sku          text not null,
  product_id   uuid not null,
  constraint product_skus_unique primary key (business_id, sku)
);

create function skus_of(p products) returns setof text language sql immutable as $$
  select s from (select p.sku union all select e ->> 'sku' from jsonb_array_elements(p.variants) e) k (s)
  where s is not null and p.deleted_at is null $$;

-- What lists are asked for as variantCount.
create function variant_count(p products) returns integer language sql immutable as $$
  select jsonb_array_length(p.variants) $$;

-- In order, so that two that take several of the same do not wait for each other.
create function keep_product_skus() returns trigger language plpgsql as $$
declare
  had text[] := case when tg_op <> 'INSERT' then array(select skus_of(old)) else '{}' end;
  has text[] := case when tg_op <> 'DELETE' then array(select skus_of(new)) else '{}' end;
begin
  delete from product_skus
  where business_id = old.business_id and product_id = old.guid
    and sku in (select unnest(had) except all select unnest(has));
  insert into product_skus (business_id, sku, product_id)
  select new.business_id, added.sku, new.guid
  from (select unnest(has) except all select unnest(had)) added (sku) order by added.sku;
  return null;
end $$;
create trigger skus_of_new after insert on products for each row execute function keep_product_skus();
create trigger skus_of_changed after update of sku, variants, deleted_at on products for each row
  when ((old.sku, old.variants, old.deleted_at is null) is distinct from (new.sku, new.variants, new.deleted_at is null))
  execute function keep_product_skus();
create trigger skus_of_gone after delete on products for each row execute function keep_product_skus();

insert into product_skus (business_id, sku, product_id) select p.business_id, skus_of(p), p.guid from products p;

-- The next SKU-000001 of each business; taken by the write that needs it.
create table sku_numbers (
  business_id  uuid primary key references businesses,
  last_number  bigint not null
);

-- The business's next free SKU. The row of sku_numbers is held until the transaction ends, so that no two draw the same.
create function next_sku(business uuid) returns text language plpgsql as $$
declare
  number bigint;
  drawn text;
begin
  insert into sku_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from sku_numbers where business_id = business for update;
  loop
    number := number + 1;
    drawn := 'SKU-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from product_skus where business_id = business and sku = drawn);
  end loop;
  update sku_numbers set last_number = number where business_id = business;
  return drawn;
end $$;

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

-- Files of customers that wait to be confirmed.
create table customer_uploads (
  business_id   uuid not null references businesses,
  guid          uuid not null,
  created_at    timestamptz not null default now(),
  confirmed_at  timestamptz,
  primary key (business_id, guid)
);
create index customer_uploads_by_age on customer_uploads (created_at);  -- for all businesses at once

-- The rows of a file, some thousands in one: a file is stored, applied and dropped in a few rows. Entry n of each array
-- belongs to row n.
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
