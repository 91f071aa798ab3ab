-- Carriers' tracking numbers, scans, and the event of a scan.

-- The address of a carrier's public page for a parcel; {number} stands for the number. The pages of the other built-in
-- carriers need more than the number, or depend on the country.
alter table carriers add tracking_url_pattern text check (tracking_url_pattern like 'https://%{number}%');
update carriers k set tracking_url_pattern = p.pattern
from (values
  ('dhl_express', 'https://www.dhl.com/global-en/home/tracking.html?tracking-id={number}'),
  ('dhl_parcel', 'https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode={number}'),
  ('ups', 'https://www.ups.com/track?tracknum={number}'),
  ('fedex', 'https://www.fedex.com/fedextrack/?trknbr={number}'),
  ('usps', 'https://tools.usps.com/go/TrackConfirmAction?tLabels={number}'),
  ('royal_mail', 'https://www.royalmail.com/track-your-item#/tracking-results/{number}'),
  ('gls', 'https://gls-group.com/GROUP/en/parcel-tracking?match={number}'),
  ('evri', 'https://www.evri.com/track/parcel/{number}'),
  ('colissimo', 'https://www.laposte.fr/outils/suivre-vos-envois?code={number}'),
  ('chronopost', 'https://www.chronopost.fr/tracking-no-cms/suivi-page?listeNumerosLT={number}'),
  ('canada_post', 'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={number}'),
  ('australia_post', 'https://auspost.com.au/mypost/track/#/details/{number}'),
  ('aramex', 'https://www.aramex.com/track/results?ShipmentNumber={number}')
) p (code, pattern)
where k.business_id = catalogue_business() and k.code = p.code;

-- The address of a parcel's page, with the number percent-encoded (RFC 3986 section 2.3). Null if the carrier has no
-- pattern or the parcel no number of the carrier.
create function tracking_url(pattern text, number text) returns text language sql immutable strict as $$
  select replace(pattern, '{number}', case when number ~ '^[A-Za-z0-9._~-]*$' then number else (
    select string_agg(case when c ~ '^[A-Za-z0-9._~-]$' then c
                           else regexp_replace(upper(encode(convert_to(c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
                      '' order by n)
    from regexp_split_to_table(number, '') with ordinality s (c, n)) end) $$;

-- The address of a carrier's own calls has only the carrier; the secret that signed a call gives the business.
alter table carrier_configurations add sealed_inbound_secret bytea;
create index carrier_configurations_inbound on carrier_configurations (carrier_id)
  where sealed_inbound_secret is not null and is_active;
create index carriers_by_guid on carriers (guid);

-- Deliveries of carriers' scans that have been received; a repeated one is ignored.
create table carrier_deliveries (
  business_id  uuid not null,
  carrier_id   uuid not null,
  delivery_id  text not null,
  received_at  timestamptz not null default now(),
  primary key (business_id, carrier_id, delivery_id)
);
create index carrier_deliveries_by_age on carrier_deliveries (received_at);

alter table shipments
  add carrier_tracking_number text,
  add carrier_tracking_url text,   -- given; null: made from the carrier's pattern
  add status_changed_at timestamptz(3),
  add last_trace_at timestamptz(3),
  add last_trace_id bigint;        -- the newest trace with an event; read and set with the shipment locked
create index shipments_by_number on shipments (business_id, lower(tracking_number)) where deleted_at is null;
create index shipments_by_carrier_number on shipments (business_id, lower(carrier_tracking_number))
  where deleted_at is null and carrier_tracking_number is not null;

-- The texts of a search that most shipments lack; search_text has the others.
create function further_search_text(s shipments) returns text language sql immutable as $$
  select lower(coalesce(s.carrier_tracking_number, '') || E'\n' || coalesce(s.recipient_company, '')) $$;
create index shipments_by_further_text on shipments using gin (business_id,
  lower(coalesce(carrier_tracking_number, '') || E'\n' || coalesce(recipient_company, '')) gin_trgm_ops)
  where deleted_at is null and (carrier_tracking_number is not null or recipient_company is not null);

alter table shipment_traces add external_id text;  -- the sender's; a repeated one is ignored
create unique index shipment_traces_external_unique on shipment_traces (business_id, shipment_id, external_id)
  where external_id is not null;

-- Facts of an event that no record holds: {"trace": {...}} or {"erased": true}.
alter table events add detail jsonb;

-- A trace as the entity of an event shows it.
create function trace_json(t shipment_traces) returns jsonb language sql stable
return jsonb_build_object('status', t.status, 'description', t.description, 'location', t.location,
                          'timestamp', iso(t.at), 'externalId', t.external_id);

-- Sets estimated_delivery unless a client has set it, computes it again when its sources change, and keeps delivered_at in
-- step with the status. A scan stores the trace of its move and sets last_trace_id with the status. Any other move gets
-- its trace here, so that the event of the move has the trace.
create or replace function set_shipment_dates() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
declare
  moved_at timestamptz(3);
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
    new.status_changed_at := coalesce(new.status_changed_at, new.created_at);
  elsif new.status is distinct from old.status then
    if new.last_trace_id is distinct from old.last_trace_id then
      select t.at into moved_at from shipment_traces t
      where t.business_id = new.business_id and t.shipment_id = new.guid and t.id = new.last_trace_id
        and t.status = new.status and t.is_move;
    end if;
    if moved_at is null then
      insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
      values (new.business_id, new.guid, clock_timestamp(), new.status, status_text(new.status), true)
      returning at, id into moved_at, new.last_trace_id;
    end if;
    if new.status = 'delivered' and new.delivered_at is not distinct from old.delivered_at then
      new.delivered_at := moved_at;
    elsif new.status not in ('delivered', 'returned') then
      new.delivered_at := null;
    end if;
    new.status_changed_at := moved_at;
    new.last_trace_at := greatest(old.last_trace_at, moved_at);
  end if;
  return new;
end $$;

create or replace function trace_updated_shipments() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  delete from shipment_labels l using new_rows n
  where l.business_id = n.business_id and l.shipment_id = n.guid
    and (n.deleted_at is not null or n.status in ('delivered', 'returned', 'cancelled'));
  return null;
end $$;

-- One event for each new trace, or one without a trace if the change added none. A move has one trace, the newest. A
-- shipment whose traces had no events yet has no last_trace_id: then the setting waybill.last_trace_id holds the id before
-- the new traces, and without it only the newest trace is new.
--
-- A session keeps the plan of this statement from its first change, which is usually of one row. A full join has no plan
-- with nested loops, which would take 0.2 s for a thousand rows.
create or replace function record_shipment_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after, detail)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.shipments end,
           case when n.deleted_at is null then row(n.*)::@schema@.shipments end, t.detail
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    left join lateral (
      select pg_catalog.jsonb_build_object('trace', @schema@.trace_json(t)) as detail from @schema@.shipment_traces t
      where n.last_trace_id is distinct from o.last_trace_id
        and t.business_id operator(pg_catalog.=) n.business_id and t.shipment_id operator(pg_catalog.=) n.guid
        and t.id operator(pg_catalog.>) coalesce(
              case when n.status operator(pg_catalog.=) o.status then coalesce(
                o.last_trace_id, nullif(pg_catalog.current_setting('waybill.last_trace_id', true), '')::bigint) end,
              n.last_trace_id operator(pg_catalog.-) 1)
        and t.id operator(pg_catalog.<=) n.last_trace_id
      order by t.id
    ) t on true
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (shipment_before is null)::int operator(pg_catalog.-) (shipment_after is null)::int as delta
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
