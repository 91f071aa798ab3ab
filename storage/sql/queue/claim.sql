-- Claims due runs for a worker and returns them. Destinations are found by walking the index, so that a long
-- queue of one does not slow the others, and are served in random order, so that none is always last. Of each
-- destination, the first thousand are examined: postpone_blocked.sql keeps those that must wait from being
-- the first for long. The last run may exceed the maximum of bytes. Each row has the epoch of the workflows in the
-- snapshot in which the run was found.
-- $1 worker uuid, $2 lease interval, $3 limit_per_destination bigint,
-- $4 blocked_destinations text[] (saturated or with an open circuit breaker), $5 limit bigint,
-- $6 blocked_businesses text[] (a destination ends with its business's guid), $7 max_bytes bigint
-- -> business_id uuid, guid uuid, workflow_id uuid, workflow_version int, event_id bigint, entity_type smallint,
-- entity_id uuid, trigger_code text, previous_status text, code text or null, error text or null, attempts int,
-- created_at timestamptz, origin uuid, replay_of uuid or null, destination text, request text, tries text,
-- action text, body text or null, depth int or null, steps text or null, workflow_epoch bigint
\ir destinations.inc
, found as materialized (
  select q.place, q.was, q.bytes, row_number() over () as number
  from (select destination from destinations
        where destination is not null and destination <> all ($4::text[]) and right(destination, 36) <> all ($6::text[])
        order by random()) d,
       lateral (select r.place, r.was, r.bytes
                from (select x.ctid as place, x.* from run_queue x
                      where x.destination = d.destination and x.status <> 'held' and x.due_at <= statement_timestamp()
                      order by x.due_at limit 1000) q,
                     lateral (select t.ctid as place, t.status as was,
                                     octet_length(t.request) + octet_length(t.tries) + coalesce(octet_length(t.body), 0) as bytes
                              from run_queue t
                              where t.ctid = q.place and t.status <> 'held' and t.due_at <= statement_timestamp()
                              for update skip locked) r
                where true
\ir may_go.inc
                limit $3::bigint) q
  limit $5::bigint
), due as (
  select place, was
  from (select place, was, sum(bytes) over (order by number rows unbounded preceding) - bytes as bytes_before from found) f
  where bytes_before < $7::bigint
)
update run_queue q set status = 'running', lease_owner = $1::uuid, due_at = clock_timestamp() + $2::interval
from due t
where q.ctid = t.place  -- valid, because this statement has locked the rows
returning q.business_id, q.guid, q.workflow_id, q.workflow_version, q.event_id, q.entity_type, q.entity_id, q.trigger_code,
          t.was as previous_status, q.code, q.error, q.attempts, q.created_at, q.origin, q.replay_of, q.destination, q.request, q.tries, q.action,
          q.body, q.depth, q.steps, (select epoch from workflow_epoch) as workflow_epoch
