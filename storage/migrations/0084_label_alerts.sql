-- Alerts about labels. Their subject is the carrier (nil: none was chosen), their run the last purchase.

alter table alerts drop constraint alerts_cause_check;
alter table alerts add constraint alerts_cause_check
  check (cause in ('run_dead', 'workflow_paused', 'import_failed', 'destination_down', 'workflow_silent', 'import_silent',
                   'scans_silent', 'label_unknown', 'label_failed', 'label_doubled', 'label_dearer',
                   'label_of_cancelled_order'));

-- True if a business's settings ask for alerts with this cause.
create function chooses_alert(d business_defaults, cause text) returns boolean language sql immutable as $$
  select (coalesce(cardinality(d.alert_emails), 0) > 0 or d.alert_webhook_url is not null)
         and (d.alert_causes is null or cause = any (d.alert_causes)) $$;

-- True for causes that owners and admins get by mail whatever the settings are: a label may have been paid for twice.
create function is_mailed_to_administrators(cause text) returns boolean language sql immutable as $$
  select cause in ('label_unknown', 'label_doubled') $$;

create or replace function wants_alert(d business_defaults, cause text) returns boolean language sql immutable as $$
  select is_mailed_to_administrators(cause) or chooses_alert(d, cause) $$;

-- The addresses that get the mails of a cause, each once.
create function alert_addresses(d business_defaults, business uuid, cause text) returns text[] language sql stable as $$
  select case when not is_mailed_to_administrators(cause) then coalesce(d.alert_emails, '{}') else array(
    select distinct on (lower(a.email)) a.email
    from (select unnest(d.alert_emails) as email where chooses_alert(d, cause)
          union all
          -- A server takes at least 100 recipients (RFC 5321 section 4.5.3.1.8); the settings have at most 20.
          (select u.email from users u
           where u.business_id = business and u.role in ('owner', 'admin') and u.verified_at is not null
           order by u.role desc, u.created_at, u.guid limit 80)) a
    order by lower(a.email), a.email) end $$;

-- A business without settings has no row of business_defaults.
create or replace function count_failures(business uuid, failed_cause text, subject uuid, failed_run uuid, oldest timestamptz,
                                          newest timestamptz, failures bigint) returns void language sql as $$
  insert into alerts as a (business_id, cause, subject_id, count, run_id, failed_from, failed_to)
  select business, failed_cause, subject, failures, failed_run, oldest, newest
  from (select business as guid) b left join business_defaults d on d.business_id = b.guid
  where wants_alert(d, failed_cause)
  on conflict (business_id, cause, subject_id) do update
  set count = a.count + excluded.count, run_id = excluded.run_id,
      failed_from = least(a.failed_from, excluded.failed_from),
      failed_to = greatest(a.failed_to, excluded.failed_to) $$;

create function count_label_alert(failed_cause text, p purchases) returns void language sql as $$
  select count_failures(p.business_id, failed_cause, coalesce(p.carrier_id, '00000000-0000-0000-0000-000000000000'), p.guid,
                        null, null, 1) $$;
revoke execute on function count_label_alert(text, purchases) from public;

-- A purchase or a void has no answer; a purchase is refused, or cost more than its quote; the void of a second label is
-- refused; a label is bought after its order was cancelled. The decision of a person is no refusal, nor is a price above the
-- limit of the request.
create function count_purchase() returns trigger language plpgsql security definer
  set search_path to pg_catalog, @schema@, pg_temp as $$
declare
  moved constant boolean := new.status <> old.status;
begin
  -- In the order of the causes, so that no two transactions wait for each other.
  if new.is_dearer and not old.is_dearer then perform count_label_alert('label_dearer', new); end if;
  if moved and new.status = 'bought' and new.stray_of is not null then perform count_label_alert('label_doubled', new); end if;
  if moved and new.status = 'refused' and new.resolution is null
     and coalesce(new.error_code, '') not in ('TOO_EXPENSIVE', 'OTHER_CURRENCY') then
    perform count_label_alert('label_failed', new);
  end if;
  if moved and new.status = 'bought' and exists (
    select from shipments s join orders o on o.business_id = s.business_id and o.guid = s.order_id
    where s.business_id = new.business_id and s.guid = new.shipment_id and o.status = 'cancelled') then
    perform count_label_alert('label_of_cancelled_order', new);
  end if;
  if moved and new.status = 'unknown'
     or new.status = 'voiding' and new.void_state = 'unknown' and new.lookups > 0 and old.lookups = 0 then
    perform count_label_alert('label_unknown', new);
  end if;
  return null;
end $$;
revoke execute on function count_purchase() from public;
create trigger count_purchase after update on purchases for each row
  when (new.status <> old.status or new.is_dearer <> old.is_dearer or new.lookups <> old.lookups)
  execute function count_purchase();

create function count_stray() returns trigger language plpgsql security definer
  set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  perform count_label_alert('label_doubled', new);
  return null;
end $$;
revoke execute on function count_stray() from public;
create trigger count_stray after insert on purchases for each row
  when (new.stray_of is not null) execute function count_stray();

-- An order is cancelled while a label of it is bought. A purchase moves under the lock of its shipment. So this waits for one
-- that is about to be bought; a later one finds the order cancelled.
create function count_cancelled_order() returns trigger language plpgsql security definer
  set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  perform from shipments s
  where s.business_id = new.business_id and s.order_id = new.guid and s.deleted_at is null and s.label_status is not null
  order by s.guid for share;
  perform count_label_alert('label_of_cancelled_order', p)
  from shipments s join purchases p on p.business_id = s.business_id and p.shipment_id = s.guid
  where s.business_id = new.business_id and s.order_id = new.guid and s.deleted_at is null and s.label_status = 'bought'
    and p.status = 'bought' and p.stray_of is null;
  return null;
end $$;
revoke execute on function count_cancelled_order() from public;
create trigger count_cancelled_order after update of status on orders for each row
  when (new.status = 'cancelled' and old.status <> 'cancelled') execute function count_cancelled_order();
