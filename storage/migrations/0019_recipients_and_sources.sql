-- Who receives an order, where it comes from, and when its status last changed; what a store's import sets.

-- The reported time of the changes of this transaction, the setting waybill.reported_at; null if it is not set.
create function reported_time() returns timestamptz language sql stable
return nullif(current_setting('waybill.reported_at', true), '')::timestamptz;

-- The kind of writer that adds an order: sql, or api for the service itself. PostgreSQL parses this body when the function
-- is created, so it needs no search_path.
create function order_source() returns text language sql stable security definer
return case event_cause() #>> '{by,type}' when 'sql' then 'sql' else 'api' end;

alter table orders
  add delivery_name text,
  add delivery_company text,
  add delivery_phone text,
  add delivery_email text,
  add source_type text check (source_type in ('api', 'import', 'sql')),  -- null: written before this migration
  add source_url text,             -- of the order in the store's administration
  add shipping_method text,        -- the name that the store's checkout shows
  add shipping_cost numeric(14, 2) check (shipping_cost >= 0 and shipping_cost < 1e12),
  add status_changed_at timestamptz(3);
create index orders_by_source on orders (business_id, integration_id, created_at, guid)
  where deleted_at is null and integration_id is not null;
create index orders_by_shipping_method on orders (business_id, shipping_method, created_at, guid)
  where deleted_at is null and shipping_method is not null;

-- The source that answers and lists show. An order with an integration is an import, also if it is older than this
-- migration. domain/records/change.cpp computes the same for events.
create function source_kind(o orders) returns text language sql immutable
return case when o.integration_id is not null then 'import' when o.source_type = 'sql' then 'sql' else 'api' end;

-- The recipient's part of the texts that $search covers; null if an order has no recipient of its own. It is not part of
-- search_text, whose index would have to be built anew.
create function recipient_text(o orders) returns text language sql immutable
return lower(nullif(coalesce(o.delivery_name, '') || E'\n' || coalesce(o.delivery_company, '') || E'\n' ||
                    coalesce(o.delivery_phone, '') || E'\n' || coalesce(o.delivery_email, ''), E'\n\n\n'));
create index orders_by_recipient on orders using gin (business_id,
  lower(nullif(coalesce(delivery_name, '') || E'\n' || coalesce(delivery_company, '') || E'\n' ||
               coalesce(delivery_phone, '') || E'\n' || coalesce(delivery_email, ''), E'\n\n\n')) gin_trgm_ops)
  where deleted_at is null
    and lower(nullif(coalesce(delivery_name, '') || E'\n' || coalesce(delivery_company, '') || E'\n' ||
                     coalesce(delivery_phone, '') || E'\n' || coalesce(delivery_email, ''), E'\n\n\n')) is not null;

-- The name of a store: its address without the scheme.
create function store_name(i integrations) returns text language sql immutable
return regexp_replace(i.store_url, '^[a-z]+://', '');

-- A setting that is null has not been made. It does not act, and answers show the product's default.
alter table business_defaults
  alter service_level drop not null, alter service_level drop default,
  alter length drop not null, alter length drop default,
  alter width drop not null, alter width drop default,
  alter height drop not null, alter height drop default,
  alter unit drop not null, alter unit drop default,
  alter email_enabled drop not null, alter email_enabled drop default,
  alter push_enabled drop not null, alter push_enabled drop default;

alter table orders
  alter source_type set default order_source(),
  alter status_changed_at set default now();

-- One trigger for both times, because each trigger costs the writer. Runs with the rights and the search_path of the
-- session that writes, so every name is qualified.
create function keep_order_times() returns trigger language plpgsql as $$
begin
  new.updated_at := pg_catalog.now();
  if new.status operator(pg_catalog.<>) old.status then
    new.status_changed_at := coalesce(@schema@.reported_time(), pg_catalog.clock_timestamp());
  end if;
  return new;
end $$;
drop trigger touch on orders;
create trigger keep_times before update on orders for each row execute function keep_order_times();

alter table shipments
  add sender_company text,
  add recipient_company text,
  add recipient_email text;

-- How an import sets carrier and service level, and the oldest orders that it takes.
alter table integrations
  add service_mapping jsonb not null default '[]' check (jsonb_typeof(service_mapping) = 'array'),
  add import_since timestamptz(3);  -- null: connected before this migration, 30 days before connected_at
