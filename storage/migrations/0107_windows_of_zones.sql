-- A changed time zone of a business also wakes the runs that wait for a window in the zone of the business.

-- True for a window whose openings a changed calendar, or a changed time zone, moves.
create function window_follows(time_window jsonb, zone_changed boolean) returns boolean language sql immutable
return time_window is not null
       and (time_window @> '{"workdays": true}' or (zone_changed and time_window ->> 'timezone' is null));

create or replace function adapt_to_calendar() returns trigger language plpgsql as $$
begin
  new.calendar_changed_at := clock_timestamp();
  insert into timer_scans as s (business_id, workflow_id, plan, since)
  select w.business_id, w.guid, w.timer_plan, clock_timestamp()
  from workflows w
  where w.business_id = new.guid and w.deleted_at is null and unnumbered_form(w.trigger_code) ~ '^timer:.*:workdays$'
  on conflict (business_id, workflow_id) do update set position = excluded.position;
  with waiting as materialized (
    select q.workflow_id, q.guid
    from workflows w
    join run_queue q on q.business_id = w.business_id and q.workflow_id = w.guid
    where w.business_id = new.guid and window_follows(w.time_window, old.timezone is distinct from new.timezone)
      and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
    order by q.guid limit 50000 for update of q skip locked
  )
  update run_queue q set due_at = now() from waiting w
  where q.business_id = new.guid and q.workflow_id = w.workflow_id and q.guid = w.guid;
  if found then perform pg_notify('waybill_queue', ''); end if;
  return new;
end $$;
