-- The delivery that a carrier announces for a parcel: with its label, and with its scans.

alter table purchases add column estimated_delivery timestamptz;  -- of the label; midnight UTC: a day without a time

-- announced_delivery: the carrier's last date, by which estimated_delivery was set. null: the default date.
alter table shipments add column announced_delivery timestamptz(3);
-- `not valid`: the column is new, so no row needs a check.
alter table shipments add constraint shipments_announced_delivery_in_range check (
  announced_delivery >= timestamptz '0001-01-01 00:00:00+00' and announced_delivery < timestamptz '10000-01-01 00:00:00+00'
) not valid;

-- A carrier's date as a shipment has it. A day without a time lasts until its end in the zone of the business. null for a
-- time that is more than a year away: a gateway's mistake.
create function announced_time(announced timestamptz, zone text) returns timestamptz language sql stable as $$
  select case when announced not between now() - interval '1 year' and now() + interval '1 year' then null
              when date_trunc('day', announced at time zone 'UTC') = announced at time zone 'UTC'
                then (announced at time zone 'UTC' + interval '1 day') at time zone zone - interval '1 millisecond'
              else announced end $$;

-- As in 0020_scans.sql, but the carrier's date precedes the default one.
create or replace function set_shipment_dates() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
declare
  moved_at timestamptz(3);
begin
  if new.estimated_delivery is null
     or (tg_op = 'UPDATE' and new.estimated_delivery is not distinct from old.estimated_delivery
         and old.estimated_delivery = coalesce(old.announced_delivery,
                                               due_date(old.collection_date, old.created_at, old.service_level))) then
    new.estimated_delivery := coalesce(new.announced_delivery,
                                       due_date(new.collection_date, new.created_at, new.service_level));
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

create or replace trigger set_dates_update before update on shipments for each row
  when ((old.status, old.collection_date, old.created_at, old.service_level, old.estimated_delivery, old.announced_delivery)
        is distinct from (new.status, new.collection_date, new.created_at, new.service_level, new.estimated_delivery,
                          new.announced_delivery))
  execute function set_shipment_dates();
