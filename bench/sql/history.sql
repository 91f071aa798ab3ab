-- :runs finished runs of a business over the last 30 days, of 50 workflows whose shares fall with 1/k; a fiftieth of them
-- dead. The last workflow ran on one day alone.
set session_replication_role = replica;
select make_partitions((now() at time zone 'UTC')::date - 30, (now() at time zone 'UTC')::date);

insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                  status, attempts, created_at, finished_at, origin, destination, request, tries)
select :'business', timed.guid, ('00000000-0000-4000-c000-' || 100000000000 + workflow)::uuid, 1, n, 0,
       ('00000000-0000-4000-8000-' || 100000000000 + n % 1000000)::uuid, 'order_updated', 'webhook',
       case when n % 50 = 0 then 'dead' else 'succeeded' end, 1, at, at, timed.guid, 'localhost:80', '{}', '[]'
from (select n, now() - (:runs - n) * (interval '30 days' / :runs) as at,
             case when n between :runs / 2 and :runs / 2 + 100 then 50
                  else least(49, floor(exp((n::bigint * 2654435761 % 4294967296)::float8 / 4294967296 * ln(50.0::float8)))::int)
             end as workflow
      from generate_series(1, :runs) n) made,
     lateral (select timed_guid(made.at) as guid) timed;

insert into run_counts (business_id, unit, start, workflow_id, status, runs)
select business_id, unit, date_trunc(unit, created_at, 'UTC'), workflow_id, status, count(*)
from runs, unnest(array['day', 'hour']) unit where business_id = :'business' group by 1, 2, 3, 4, 5;

reset session_replication_role;
vacuum analyze runs, run_counts;
