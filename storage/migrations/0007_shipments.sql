-- Shipments, their traces and labels. The rules for record tables are in 0004_customers_and_products.sql.

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
create index shipments_by_dispatch on shipments (business_id, dispatch_id) where dispatch_id is not null;
-- Shipments that wait for a dispatch.
create index shipments_unassigned on shipments (business_id, created_at, guid)
  where deleted_at is null and dispatch_id is null and status not in ('delivered', 'returned', 'cancelled');

create function search_text(s shipments) returns text language sql immutable as $$
  select lower(coalesce(s.tracking_number, '') || E'\n' || coalesce(s.sender_name, '') || E'\n' ||
               coalesce(s.recipient_name, '') || E'\n' || coalesce(s.recipient_street, '') || E'\n' ||
               coalesce(s.recipient_city, '')) $$;
create index shipments_by_text on shipments using gin (business_id,
  lower(coalesce(tracking_number, '') || E'\n' || coalesce(sender_name, '') || E'\n' || coalesce(recipient_name, '') ||
        E'\n' || coalesce(recipient_street, '') || E'\n' || coalesce(recipient_city, '')) gin_trgm_ops);
create trigger touch before update on shipments for each row execute function touch_updated_at();

-- An address on one line, as lists show it; null if it is empty.
create function address_line(street text, city text, state text, postal_code text, country text) returns text
language sql immutable as $$
  select nullif(concat_ws(', ', nullif(street, ''), nullif(city, ''),
                          nullif(concat_ws(' ', nullif(state, ''), nullif(postal_code, '')), ''), nullif(country, '')), '') $$;

-- The default of estimated_delivery: collection (or else creation) and 5 days, express 2 days, sameday 0 days.
create function due_date(collected timestamptz, created timestamptz, service_level text) returns timestamptz
language sql immutable as $$
  select (coalesce(collected, created) at time zone 'UTC' +
          case service_level when 'express' then interval '2 days' when 'sameday' then interval '0 days'
          else interval '5 days' end) at time zone 'UTC' $$;

-- True if a shipment was delivered in time. A default due date lasts until the end of its day (UTC), because 0 days could
-- not be met otherwise. A due date that a client has set is exact.
create function on_time(s shipments) returns boolean language sql immutable as $$
  select s.delivered_at <= s.estimated_delivery
         or (s.estimated_delivery = due_date(s.collection_date, s.created_at, s.service_level)
             and date_trunc('day', s.delivered_at at time zone 'UTC')
                 <= date_trunc('day', s.estimated_delivery at time zone 'UTC')) $$;

-- Sets estimated_delivery unless a client has set it, computes it again when its sources change, and keeps delivered_at in
-- step with the status.
create function set_shipment_dates() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  if new.estimated_delivery is null
     or (tg_op = 'UPDATE' and new.estimated_delivery is not distinct from old.estimated_delivery
         and old.estimated_delivery = due_date(old.collection_date, old.created_at, old.service_level)) then
    new.estimated_delivery := due_date(new.collection_date, new.created_at, new.service_level);
  end if;
  if tg_op = 'INSERT' then
    if new.status = 'delivered' then
      new.delivered_at := coalesce(new.delivered_at, clock_timestamp());
    end if;
  elsif new.status is distinct from old.status then
    if new.status = 'delivered' and new.delivered_at is not distinct from old.delivered_at then
      new.delivered_at := clock_timestamp();
    elsif new.status not in ('delivered', 'returned') then
      new.delivered_at := null;
    end if;
  end if;
  return new;
end $$;
revoke execute on function set_shipment_dates() from public;
create trigger set_dates_insert before insert on shipments for each row execute function set_shipment_dates();
create trigger set_dates_update before update on shipments for each row
  when ((old.status, old.collection_date, old.created_at, old.service_level, old.estimated_delivery)
        is distinct from (new.status, new.collection_date, new.created_at, new.service_level, new.estimated_delivery))
  execute function set_shipment_dates();

create table shipment_traces (
  business_id  uuid not null,
  shipment_id  uuid not null,
  at           timestamptz(3) not null,  -- as reported
  id           bigint not null generated always as identity,
  status       text not null
               check (status in ('created', 'collected', 'in_transit', 'out_for_delivery', 'delivered', 'exception',
                                 'returned', 'cancelled')),
  description  text not null,
  location     text,
  is_move      boolean not null,         -- the shipment's status changed with it
  primary key (business_id, shipment_id, at, id),
  foreign key (business_id, shipment_id) references shipments on delete cascade,
  constraint shipment_traces_times_in_range check (at >= timestamptz '0001-01-01 00:00:00+00'
                                                   and at < timestamptz '10000-01-01 00:00:00+00')
);

-- Labels that were requested with their shipment. Others are rendered when they are fetched.
create table shipment_labels (
  business_id   uuid not null,
  shipment_id   uuid not null,
  content_hash  bytea not null check (length(content_hash) = 32),  -- of the data that it shows
  pdf           bytea not null,
  primary key (business_id, shipment_id),
  foreign key (business_id, shipment_id) references shipments on delete cascade
);
-- PDF is compressed already. (PostgreSQL 15 takes no storage in create table.)
alter table shipment_labels alter column pdf set storage external;

-- The default description of a trace.
create function status_text(status text) returns text language sql immutable as $$
  select case status
    when 'created' then 'Shipment created'
    when 'collected' then 'Collected by the carrier'
    when 'in_transit' then 'In transit'
    when 'out_for_delivery' then 'Out for delivery'
    when 'delivered' then 'Delivered'
    when 'exception' then 'An issue occurred'
    when 'returned' then 'Returned to the sender'
    when 'cancelled' then 'Cancelled'
  end $$;

-- Each status of a shipment leaves a trace. Labels of deleted and finished shipments are deleted.
create function trace_inserted_shipments() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
  select n.business_id, n.guid, n.created_at, n.status, status_text(n.status), false from new_rows n;
  return null;
end $$;

create function trace_updated_shipments() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
  select n.business_id, n.guid, clock_timestamp(), n.status, status_text(n.status), true
  from new_rows n join old_rows o on o.business_id = n.business_id and o.guid = n.guid
  where n.status is distinct from o.status;
  delete from shipment_labels l using new_rows n
  where l.business_id = n.business_id and l.shipment_id = n.guid
    and (n.deleted_at is not null or n.status in ('delivered', 'returned', 'cancelled'));
  return null;
end $$;
revoke execute on function trace_inserted_shipments(), trace_updated_shipments() from public;
create trigger trace_insert after insert on shipments referencing new table as new_rows
  for each statement execute function trace_inserted_shipments();
create trigger trace_update after update on shipments referencing old table as old_rows new table as new_rows
  for each statement execute function trace_updated_shipments();
