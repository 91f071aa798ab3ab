-- What watches over workflows: whether they fail for days, whether they fire far more often than they use to, whether the
-- books balance, and whether events are matched in time.

-- Since when a workflow's failures count: it was made, changed, switched on or resumed then.
alter table workflows add column judged_since timestamptz not null default now();

create function judge_workflow_anew() returns trigger language plpgsql as $$
begin
  new.judged_since = now();
  return new;
end $$;
create trigger judged_anew before update on workflows for each row
  when ((old.paused_reason is not null and new.paused_reason is null) or (new.is_active and not old.is_active)
        or new.version <> old.version)
  execute function judge_workflow_anew();

-- What the service has learnt of a workflow. Not columns of workflows, where each write would have every worker read the
-- workflow again.
create table workflow_health (
  business_id      uuid not null,
  workflow_id      uuid not null,
  succeeded_at     timestamptz,  -- the last success that was looked for
  expected_weekly  bigint,       -- how often it would have fired in the 7 days before it was configured
  primary key (business_id, workflow_id)
);

-- How often each workflow fired, by the hour. The workers add to it once a minute; what a crash takes back is forgotten.
create table workflow_firings (
  business_id  uuid not null,
  workflow_id  uuid not null,
  hour         timestamptz not null,
  count        bigint not null check (count > 0),
  primary key (business_id, workflow_id, hour)
) with (fillfactor = 70);
create index workflow_firings_by_hour on workflow_firings (hour);

-- Dead runs are few, so this costs the others nothing.
create index runs_dead on runs (business_id, workflow_id, finished_at) where status = 'dead';

-- The least of the guids that carry a time in their first 48 bits (RFC 9562 section 5.7), for ranges of runs by their time.
create function first_guid(at timestamptz) returns uuid language sql stable as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

-- Where a business is reached, one address a line: its own, else those of its owners and admins.
create function contact_addresses(business uuid) returns text language sql stable as $$
  select coalesce(b.email, (select string_agg(u.email, E'\n' order by u.created_at, u.guid)
                            from (select * from users u
                                  where u.business_id = b.guid and u.role in ('owner', 'admin') and u.verified_at is not null
                                  order by u.created_at, u.guid limit 20) u))
  from businesses b where b.guid = business $$;

-- Counting the queue by status reads the index alone.
drop index run_queue_due;
create index run_queue_due on run_queue (destination, due_at) include (status) where status <> 'held';
