-- The recipient and the source of an order, the time of its last status change, the values that a store's import sets, and
-- the tracking that a store has been given.

-- The kind of writer that adds an order: sql, import, or api for the rest of the service. PostgreSQL parses this body when
-- the function is created, so it needs no search_path.
create function order_source() returns text language sql stable security definer
return case event_cause() #>> '{by,type}' when 'sql' then 'sql' when 'import' then 'import' else 'api' end;

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
    new.status_changed_at := pg_catalog.clock_timestamp();
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

-- The numbers and links under which shipments were pushed to stores, stored before the store is called. If the number
-- changes, they identify what the store shows of the shipment.
create table pushed_tracking (
  business_id      uuid not null,
  shipment_id      uuid not null,
  tracking_number  text not null,
  tracking_url     text not null,  -- empty: none
  primary key (business_id, shipment_id, tracking_number),
  foreign key (business_id, shipment_id) references shipments on delete cascade
);

-- A further managed workflow pushes tracking that changes later. It is switched together with the first one.
create or replace function add_managed_workflows(business uuid) returns void language sql as $$
  with added as (
    insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_active, is_managed,
                           created_at)
    select business, m.name, 1, m.trigger_code, m.action, m.conditions, m.is_active, true,
           now() + m.number * interval '1 microsecond'
    from (values
      (0, 'Order shipped when a shipment of it is underway or delivered', 'shipment_status_changed', true,
       '{"type": "update_status", "recipient": "order", "template": "shipped", "status": "shipped",
         "whenAllShipments": null}'::jsonb,
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'::jsonb),
      (1, 'Order delivered when all its shipments are', 'shipment_status_changed', true,
       '{"type": "update_status", "recipient": "order", "template": "delivered", "status": "delivered",
         "whenAllShipments": "delivered"}',
       '{"orderId": {"exists": true}, "status": {"in": ["delivered", "cancelled"]}}'),
      -- The next two are switched on by the first integration with push_tracking, see switch_push_tracking.
      (2, 'Push tracking to the store when a shipment is underway or delivered', 'shipment_status_changed', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"nin": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'),
      (3, 'Push tracking to the store when the carrier''s number is entered later', 'shipment_updated', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "any": [{"carrierTrackingNumber": {"changed": true}}, {"carrierTrackingUrl": {"changed": true}}]}')
    ) m (number, name, trigger_code, is_active, action, conditions)
    returning *
  )
  insert into workflow_versions (business_id, workflow_id, version, definition)
  select business_id, guid, version, workflow_definition(added) from added $$;
revoke execute on function add_managed_workflows(uuid) from public;

with added as (
  insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_active, is_managed, created_at)
  select w.business_id, 'Push tracking to the store when the carrier''s number is entered later', 1, 'shipment_updated',
         w.action,
         '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
           "previous.status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
           "any": [{"carrierTrackingNumber": {"changed": true}}, {"carrierTrackingUrl": {"changed": true}}]}',
         w.is_active, true, w.created_at + interval '1 microsecond'
  from workflows w
  where w.is_managed and w.action ->> 'type' = 'push_tracking'
  returning *
)
insert into workflow_versions (business_id, workflow_id, version, definition)
select business_id, guid, version, workflow_definition(added) from added;
