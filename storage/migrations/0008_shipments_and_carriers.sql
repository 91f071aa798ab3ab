-- What a shipment's life brings: when it is due, its traces and labels. And the carriers that a business has set up.

-- Days from collection, or else creation, to delivery: 5, express 2, sameday 0.
create function due_date(collected timestamptz, created timestamptz, service_level text) returns timestamptz
language sql immutable as $$
  select (coalesce(collected, created) at time zone 'UTC' +
          case service_level when 'express' then interval '2 days' when 'sameday' then interval '0 days'
          else interval '5 days' end) at time zone 'UTC' $$;

-- Whether a delivered shipment came when it was promised. A promise of days lasts until the end of its day (UTC), which
-- is what makes one of 0 days possible; a time that somebody set is meant as it stands.
create function on_time(s shipments) returns boolean language sql immutable as $$
  select s.delivered_at <= s.estimated_delivery
         or (s.estimated_delivery = due_date(s.collection_date, s.created_at, s.service_level)
             and date_trunc('day', s.delivered_at at time zone 'UTC')
                 <= date_trunc('day', s.estimated_delivery at time zone 'UTC')) $$;

-- Whoever writes a shipment: it is due when nobody says otherwise, the due date follows what it was computed from, and
-- what is delivered says since when.
create function settle_shipment() returns trigger language plpgsql as $$
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
create trigger settle_insert before insert on shipments for each row execute function settle_shipment();
create trigger settle_update before update on shipments for each row
  when ((old.status, old.collection_date, old.created_at, old.service_level, old.estimated_delivery)
        is distinct from (new.status, new.collection_date, new.created_at, new.service_level, new.estimated_delivery))
  execute function settle_shipment();

create table shipment_traces (
  business_id  uuid not null,
  shipment_id  uuid not null,
  at           timestamptz(3) not null,  -- when it happened, as reported
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

-- Labels that were asked for with their shipment; others are made when they are fetched.
create table shipment_labels (
  business_id   uuid not null,
  shipment_id   uuid not null,
  content_hash  bytea not null check (length(content_hash) = 32),  -- of what it shows
  pdf           bytea not null,
  primary key (business_id, shipment_id),
  foreign key (business_id, shipment_id) references shipments on delete cascade
);
alter table shipment_labels alter column pdf set storage external;  -- compressed already

-- What a trace says that nobody described.
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

-- Every status of a shipment leaves a trace, whoever sets it; a label that will not be printed any more goes.
create function trace_inserted_shipments() returns trigger language plpgsql as $$
begin
  insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
  select n.business_id, n.guid, n.created_at, n.status, status_text(n.status), false from new_rows n;
  return null;
end $$;
create function trace_updated_shipments() returns trigger language plpgsql as $$
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
create trigger trace_insert after insert on shipments referencing new table as new_rows
  for each statement execute function trace_inserted_shipments();
create trigger trace_update after update on shipments referencing old table as old_rows new table as new_rows
  for each statement execute function trace_updated_shipments();

-- Those that wait for a dispatch.
create index shipments_unassigned on shipments (business_id, created_at, guid)
  where deleted_at is null and dispatch_id is null and status not in ('delivered', 'returned', 'cancelled');

-- An address on one line, as lists show it; null when it is empty.
create function address_line(street text, city text, state text, postal_code text, country text) returns text
language sql immutable as $$
  select nullif(concat_ws(', ', nullif(street, ''), nullif(city, ''),
                          nullif(concat_ws(' ', nullif(state, ''), nullif(postal_code, '')), ''), nullif(country, '')), '') $$;

-- A carrier that a business has an account with. Its credentials are sealed.
create table carrier_configurations (
  business_id            uuid not null references businesses,
  carrier_id             uuid not null,
  account_number         text not null check (account_number <> ''),
  default_service_level  text,
  test_mode              boolean not null,
  sealed_api_key         bytea,
  sealed_api_secret      bytea,
  is_active              boolean not null default true,
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (business_id, carrier_id)
);
create trigger touch before update on carrier_configurations for each row execute function touch_updated_at();

create table carrier_contacts (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  carrier_id   uuid not null,
  name         text not null check (name <> ''),
  email        text,
  phone        text,
  role         text,
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, guid)
);
create index carrier_contacts_by_carrier on carrier_contacts (business_id, carrier_id);
create trigger listed before insert on carrier_contacts for each row execute function refuse_more_than_listed('true');
