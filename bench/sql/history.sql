-- :runs finished runs of a business over the last 30 days, of 50 workflows whose shares fall with 1/k; a fiftieth of them
-- dead. The last workflow ran on one day alone. One order has the events of its runs.
set session_replication_role = replica;
select make_partitions((now() at time zone 'UTC')::date - 30, (now() at time zone 'UTC')::date);

insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                  status, attempts, created_at, finished_at, origin, destination, request, tries)
select :'business', timed.guid, ('00000000-0000-4000-c000-' || 100000000000 + workflow)::uuid, 1, n, 0,
       ('00000000-0000-4000-8000-' || 100000000000 + n % 1000000)::uuid, 'order_updated', 'webhook',
       case when n % 50 = 0 then 'dead' else 'succeeded' end, 1, at, at + n % 997 * interval '1 millisecond', timed.guid, 'localhost:80', '{}', '[]'
from (select n, now() - (:runs - n) * (interval '30 days' / :runs) as at,
             case when n between :runs / 2 and :runs / 2 + 100 then 50
                  else least(49, floor(exp((n::bigint * 2654435761 % 4294967296)::float8 / 4294967296 * ln(50.0::float8)))::int)
             end as workflow
      from generate_series(1, :runs) n) made,
     lateral (select timed_guid(made.at) as guid) timed;

insert into run_counts (business_id, unit, start, workflow_id, status, runs, latencies, newest_at)
select business_id, unit, start, workflow_id, status, sum(runs), jsonb_object_agg(bucket, runs) filter (where bucket is not null),
       max(newest_at)
from (select business_id, unit, date_trunc(unit, created_at, 'UTC') as start, workflow_id, status,
             case when status = 'succeeded' then latency_bucket(finished_at - created_at) end as bucket, count(*) as runs,
             max(created_at) as newest_at
      from runs, unnest(array['day', 'hour']) unit where business_id = :'business' group by 1, 2, 3, 4, 5, 6) counted
group by 1, 2, 3, 4, 5;

-- The sums that a duty of the worker would write.
insert into run_sums (business_id, start, succeeded, latencies)
select business_id, start, sum(runs), jsonb_object_agg(bucket, runs)
from (select c.business_id, c.start, l.key as bucket, sum(l.value::bigint) as runs
      from run_counts c, jsonb_each_text(c.latencies) l
      where c.business_id = :'business' and c.unit = 'hour' and c.start < date_trunc('hour', now(), 'UTC') - interval '1 hour'
      group by 1, 2, 3) buckets
group by 1, 2;

insert into workflows (business_id, guid, name, entity_type, trigger_code, action, active_since, created_at)
select :'business', ('00000000-0000-4000-c000-' || 100000000000 + k)::uuid, 'Bench ' || k, 0, 'order_updated',
       '{"type": "webhook", "recipient": "http://127.0.0.1:1/", "method": "POST", "contentType": "application/json",
         "template": null, "headers": {}}', now() - interval '31 days', now() - interval '31 days'
from generate_series(1, 50) k;
insert into workflow_versions (business_id, workflow_id, version, definition, created_at)
select w.business_id, w.guid, w.version, workflow_definition(w), w.created_at
from workflows w where w.business_id = :'business' and w.name like 'Bench %';

insert into events (id, at, business_id, entity_type, entity_id, order_before, order_after)
select r.event_id, r.created_at, r.business_id, r.entity_type, r.entity_id, o, o
from runs r join orders o on o.business_id = r.business_id and o.guid = r.entity_id
where r.business_id = :'business' and r.entity_id = '00000000-0000-4000-8000-100000000007';

reset session_replication_role;
vacuum analyze runs, run_counts, run_sums, workflows, workflow_versions, events;
