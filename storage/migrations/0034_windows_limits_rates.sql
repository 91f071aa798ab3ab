-- Workflows with a window of time, a limit of runs and a rate of requests.

-- Each as domain/pacing.hpp stores it; null: none.
alter table workflows
  add column time_window jsonb,    -- {"days": ["mon"], "from": "09:00", "to": "18:00", "timezone": null}
  add column run_limit jsonb,      -- {"by": "customer.email", "count": 1, "per": "P1D"}
  add column request_rate jsonb;   -- {"perSecond": 5}

-- A window without a time zone is in that of the business: a change of it advances the epoch, as a new name does.
create trigger advance_epoch_of_zone before update on businesses for each row
  when (old.timezone is distinct from new.timezone) execute function advance_workflow_epoch();

-- The audit log also has the three. The triggers keep the fields that they have.
do $$
declare
  audit record;
begin
  for audit in select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
               where tgrelid = 'workflows'::regclass and tgname in ('audit_insert', 'audit_change') loop
    execute format('drop trigger %I on workflows', audit.name);
    execute regexp_replace(audit.definition, '\)$', ', ''time_window=window'', ''run_limit=limit'', ''request_rate=rate'')');
  end loop;
end $$;

-- Also true for the third format, which is a form of the first two after `3:`.
create or replace function meets_trigger(stored text, code text) returns boolean language sql immutable as $$
  select form = code or form = '2:' || code
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(stored, '^3:', '') as form) s $$;

-- The first moment at which the clock of a zone shows a time. For a time that does not exist, the next moment that does;
-- for one that exists twice, the first.
create function first_moment_of(clock timestamp, zone text) returns timestamptz language sql stable as $$
  with near as (select clock at time zone zone as moment)
  select coalesce((select min(m) from near, unnest(array[moment - interval '2 hours', moment - interval '1 hour',
                                                         moment - interval '30 minutes', moment]) m
                   where m at time zone zone = clock),
                  (select min(m) from near, generate_series(moment - interval '25 hours', moment + interval '25 hours',
                                                            interval '1 minute') m
                   where m at time zone zone > clock)) $$;

-- The opening of a window that contains a time, or else the next one after it. Days are those of ISO 8601 (1: Monday). An
-- opening that goes over midnight belongs to the day on which it begins. Null if the server does not know the zone, or if
-- there is no opening within 15 days.
create function next_opening(zone text, days integer[], opens time, closes time, at timestamptz,
                             out opens_at timestamptz, out closes_at timestamptz)
language plpgsql stable as $$
declare
  day date;
begin
  for day in select d::date from generate_series(date_trunc('day', at at time zone zone) - interval '1 day',
                                                 at at time zone zone + interval '15 days', interval '1 day') d
             where extract(isodow from d)::integer = any (days) loop
    opens_at := first_moment_of(day + opens, zone);
    closes_at := first_moment_of(day + closes + case when closes < opens then interval '1 day' else interval '0' end, zone);
    if closes_at > at and closes_at > opens_at then return; end if;
  end loop;
  opens_at := null;
  closes_at := null;
exception when invalid_parameter_value then
  opens_at := null;
  closes_at := null;
end $$;

-- Runs of workflows with a limit, from the time at which they are queued. Replays have no row. The row of an open run
-- stays; it tells whether the run has begun.
create table limited_runs (
  business_id  uuid not null,
  run          uuid not null,
  workflow_id  uuid not null,
  value        bytea not null,     -- a hash of the value by which runs are counted
  begun_at     timestamptz,        -- null: the run has not begun, or it was skipped
  expires_at   timestamptz not null default now(),  -- from then on the run does not count
  primary key (business_id, run)
);
create index limited_runs_by_value on limited_runs (workflow_id, value, begun_at) where begun_at is not null;
create index limited_runs_by_expiry on limited_runs (expires_at);

-- Lets runs begin, in the order of the arrays, as far as fewer than `counts` runs with their value have begun within the
-- last `periods`. Returns the runs that may not begin. A run that has begun is not counted again; a run without a row is
-- not limited. The lock makes the runs of a workflow wait for each other until the transaction ends.
create function begin_limited_runs(businesses uuid[], workflows uuid[], runs uuid[], counts integer[], periods interval[])
returns setof uuid language plpgsql as $$
declare
  wanted record;
  own_value bytea;
begin
  perform pg_advisory_xact_lock(hashtextextended('waybill.limit.' || w.id, 0))
  from (select distinct id from unnest(workflows) w (id) order by id) w;
  for wanted in select * from unnest(businesses, workflows, runs, counts, periods) w (business, workflow, run, count, period)
  loop
    select l.value into own_value from limited_runs l
    where l.business_id = wanted.business and l.run = wanted.run and l.begun_at is null;
    continue when not found;
    if (select count(*) from (select from limited_runs l
                              where l.workflow_id = wanted.workflow and l.value = own_value
                                and l.begun_at > clock_timestamp() - wanted.period limit wanted.count) l) < wanted.count then
      update limited_runs l set begun_at = clock_timestamp(), expires_at = clock_timestamp() + wanted.period
      where l.business_id = wanted.business and l.run = wanted.run;
    else
      return next wanted.run;
    end if;
  end loop;
end $$;

-- The requests that workflows with a rate may make, by destination of the queue: a bucket that holds the requests of one
-- second, at least one, and is full at full_at.
create table request_rates (
  business_id  uuid not null,
  workflow_id  uuid not null,
  destination  text not null,
  per_second   float8 not null,
  granted      integer not null,  -- by the last statement
  full_at      timestamptz not null,
  primary key (business_id, workflow_id, destination)
) with (fillfactor = 50);
