-- Takes due runs for the worker $1 until $2 from now: at most $3 of each destination, and of the destinations $4 (those
-- that are saturated or broken) none; $5 in all. Destinations are walked along the index, so that a long queue of one
-- costs the others nothing, and served in random order, so that none is always last.
\ir destinations.inc
, due as (
  select q.place, q.was
  from (select destination from destinations
        where destination is not null and destination <> all ($4::text[])
        order by random()) d,
       lateral (select q.ctid as place, q.status as was from run_queue q
                where q.destination = d.destination and q.status <> 'held' and q.due_at <= statement_timestamp()
\ir may_go.inc
                order by q.due_at limit $3::bigint for update skip locked) q
  limit $5::bigint
)
update run_queue q set status = 'running', lease_owner = $1::uuid, due_at = clock_timestamp() + $2::interval
from due t
where q.ctid = t.place  -- of rows that this statement holds
returning q.business_id, q.guid, q.workflow_id, q.workflow_version, q.event_id, q.entity_type, q.entity_id, q.trigger_code,
          t.was, q.code, q.error, q.attempts, q.created_at, q.origin, q.replay_of, q.destination, q.request, q.tries, q.action, q.body
