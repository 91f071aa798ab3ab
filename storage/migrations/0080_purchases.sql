-- Purchases: the labels of carriers that are bought through gateways.

-- A purchase of a shipment's label. The row is committed before the gateway hears of it, the gateway's draft before the
-- purchase itself. At most one purchase of a shipment is open or bought.
create table purchases (
  business_id       uuid not null,
  guid              uuid not null,              -- follows from shipment and attempt
  shipment_id       uuid not null,
  attempt           integer not null,           -- number within the shipment, from 1
  stray_of          uuid,                       -- the purchase in addition to which this label turned up
  reference         uuid not null,              -- given to the gateway; of a stray one that of the other purchase
  shard             smallint not null,          -- that of the business; due purchases are found shard by shard
  carrier_id        uuid,                       -- null until a carrier is chosen
  connector         text not null default '',   -- that of the carrier; empty until it is chosen
  wanted            jsonb not null default '{}',  -- the request: rateId, serviceLevel, choose, serviceCodes, carrierIds
  cause             jsonb,                      -- author and depth of the request, for the events of the shipment
  status            text not null default 'requested'
                    check (status in ('requested', 'buying', 'bought', 'refused', 'unknown', 'voiding', 'voided')),
  gateway_id        text,                       -- the gateway's draft, which becomes its purchase
  rate_id           text,                       -- the gateway's rate that is bought
  service_level     text,                       -- ours
  service_code      text,                       -- the gateway's
  service_name      text,
  quote             numeric,                    -- the price of the rate
  quote_currency    text,
  price             numeric,                    -- charged
  currency          text,
  is_dearer         boolean not null default false,  -- the price is above the quote
  max_price         numeric,
  max_currency      text,                       -- the currency of the business at the request
  format            text not null default 'pdf' check (format in ('pdf', 'zpl', 'png')),
  test_mode         boolean,                    -- null until a carrier is chosen; a test label does not count as cost
  tracking_numbers  text[] not null default '{}',  -- the carrier's, one for each parcel
  tracking_url      text,                       -- a page for people
  has_label         boolean not null default false,  -- its bytes are in purchase_labels
  error_code        text,                       -- the last failure or refusal
  error_text        text,
  void_state        text check (void_state in ('unknown', 'pending', 'refused')),  -- the last void that was asked for
  resolution        text check (resolution in ('bought', 'not_bought')),  -- by a person
  resolved_by       text,                       -- the person as JSON {type, guid, name}
  requested_at      timestamptz not null default now(),
  looked_up_at      timestamptz,                -- by the present claim, or the last look-up of an unknown one
  draft_begun_at    timestamptz,                -- from then on the gateway may have a draft
  buy_begun_at      timestamptz,                -- the one buy call; never a second one
  unknown_since     timestamptz,
  resolved_at       timestamptz,
  bought_at         timestamptz,
  voiding_since     timestamptz,
  void_begun_at     timestamptz,                -- a void call may have reached the gateway
  voided_at         timestamptz,
  erased_at         timestamptz,                -- bytes, link and texts are cleared, and none is stored any more
  attempts          integer not null default 0, -- failed calls of the present step
  lookups           integer not null default 0, -- look-ups of the present schedule
  lease_owner       uuid,                       -- the worker that is at work on it
  lease_until       timestamptz,
  next_at           timestamptz,                -- the next step; null: nothing to do
  claim_at          timestamptz,                -- next_at, or the end of the lease if that is later
  primary key (business_id, guid),
  check ((lease_owner is null) = (lease_until is null)),
  check (status <> 'buying' or buy_begun_at is not null and gateway_id is not null),
  check (status not in ('bought', 'voiding', 'voided') or bought_at is not null),
  check (price >= 0 and quote >= 0 and max_price >= 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create unique index purchases_one_of_shipment on purchases (business_id, shipment_id)
  where stray_of is null and status in ('requested', 'buying', 'bought', 'unknown', 'voiding');
create index purchases_of_shipment on purchases (business_id, shipment_id, attempt);
create index purchases_due on purchases (shard, claim_at) include (business_id) where claim_at is not null;
create index purchases_due_of_business on purchases (business_id, connector, claim_at) where claim_at is not null;
create index purchases_leased on purchases (business_id, connector, lease_until) where lease_owner is not null;
create index purchases_by_time on purchases (business_id, requested_at, guid);
create index purchases_by_status on purchases (business_id, status, requested_at, guid);
create index purchases_by_carrier on purchases (business_id, carrier_id, requested_at, guid);
create index purchases_by_number on purchases using gin (business_id, tracking_numbers) with (gin_pending_list_limit = 8192);

-- The status of a purchase as the API shows it: with how its last void ended.
create function purchase_status(status text, void_state text, lookups integer) returns text
  language sql immutable parallel safe as $$
  select case when status = 'bought' and void_state = 'refused' then 'void_refused'
              when status = 'voiding' and void_state = 'unknown' and lookups > 0 then 'void_unknown' else status end $$;

-- Labels of purchases as the gateway gave them. They survive the soft deletion of their shipment, not its purge.
create table purchase_labels (
  business_id  uuid not null,
  purchase_id  uuid not null,
  shipment_id  uuid not null,
  format       text not null check (format in ('pdf', 'zpl', 'png')),
  bytes        bytea not null check (octet_length(bytes) <= 10485760),
  stored_at    timestamptz not null default now(),
  primary key (business_id, purchase_id),
  foreign key (business_id, purchase_id) references purchases on delete cascade,
  foreign key (business_id, shipment_id) references shipments on delete cascade
);
alter table purchase_labels alter column bytes set storage external;
create index purchase_labels_of_shipment on purchase_labels (business_id, shipment_id);

-- label_status: that of the shipment's last purchase, null if none was requested; a requested one is `buying`. It changes in
-- the transaction that moves the purchase. shipping_price: what the carrier charged, null while no label is bought.
alter table shipments
  add column label_status text,
  add column shipping_price numeric,
  add column currency text;
-- `not valid`: the columns are new, so no row needs a check.
alter table shipments
  add constraint shipments_label_status_check
    check (label_status in ('buying', 'bought', 'refused', 'unknown', 'voiding', 'voided')) not valid,
  add constraint shipments_shipping_price_check check (shipping_price >= 0 and shipping_price < 1e12) not valid,
  add constraint shipments_currency_check check (currency ~ '^[A-Z]{3}$') not valid;

-- As in 0060_bounded_records.sql, with the new texts.
do $migration$
declare
  sizes text;
begin
  select string_agg(format('octet_length(r.%I)', a.attname), ', ' order by a.attnum) into sizes
  from pg_attribute a
  where a.attrelid = 'shipments'::regclass and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype;
  execute format($create$
create or replace function bounded_record(r shipments) returns bytea language plpgsql stable strict as $function$
begin
  if greatest(pg_column_size(r), %s) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $function$
$create$, sizes);
end $migration$;
