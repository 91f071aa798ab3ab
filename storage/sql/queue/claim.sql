-- Claims due runs for a worker and returns them. Destinations are found by walking the index, so that a long
-- queue of one does not slow the others, and are served in random order, so that none is always last. Of each
-- destination, the first thousand are examined: postpone_blocked.sql keeps those that must wait from being
-- the first for long. The last run may exceed the maximum of bytes. Each row has the epoch of the workflows in the
-- snapshot in which the run was found.
-- $1 floor_destinations text[], $2 floors timestamptz[], $3 worker uuid, $4 lease interval,
-- $5 limit_per_destination bigint, $6 blocked_destinations text[] (saturated or with an open circuit breaker),
-- $7 limit bigint, $8 blocked_businesses text[] (a destination ends with its business's guid), $9 max_bytes bigint
-- -> business_id uuid, guid uuid, workflow_id uuid, workflow_version int, event_id bigint, entity_type smallint,
-- entity_id uuid, trigger_code text, previous_status text, code text or null, error text or null, attempts int,
-- created_at timestamptz, origin uuid, replay_of uuid or null, destination text, request text, tries text,
-- action text, body text or null, depth int or null, steps text or null, ordered boolean, watch_after bigint or null,
-- claims int, workflow_epoch bigint
with recursive floors as (
  select * from unnest($1::text[], $2::timestamptz[]) f (destination, due_from)
),
\ir destinations.inc
, found as materialized (
  select q.place, q.was, q.bytes, row_number() over () as number
  from (select destination, due_from from destinations
        where destination is not null and destination <> all ($6::text[]) and right(destination, 36) <> all ($8::text[])
        order by random()) d,
       lateral (select r.place, r.was, r.bytes
                from (select x.ctid as place, x.* from run_queue x
                      where x.destination = d.destination and x.status <> 'held' and x.due_at >= d.due_from
                        and x.due_at <= statement_timestamp()
                      order by x.due_at limit 1000) q,
                     lateral (select t.ctid as place, t.status as was,
                                     octet_length(t.request) + octet_length(t.tries) + coalesce(octet_length(t.body), 0) as bytes
                              from run_queue t
                              where t.ctid = q.place and t.status <> 'held' and t.due_at <= statement_timestamp()
                              for update skip locked) r,
\ir may_go.inc
                where rule.may_go
                limit $5::bigint) q
  limit $7::bigint
), due as (
  select place, was
  from (select place, was, sum(bytes) over (order by number rows unbounded preceding) - bytes as bytes_before from found) f
  where bytes_before < $9::bigint
)
update run_queue q set status = 'running', lease_owner = $3::uuid, claims = q.claims + 1, due_at = clock_timestamp() + $4::interval
from due t
where q.ctid = t.place  -- all but the rows that another session has just written
returning q.business_id, q.guid, q.workflow_id, q.workflow_version, q.event_id, q.entity_type, q.entity_id, q.trigger_code,
          t.was as previous_status, q.code, q.error, q.attempts, q.created_at, q.origin, q.replay_of, q.destination, q.request, q.tries, q.action,
          q.body, q.depth, q.steps, q.ordered, q.watch_after, q.claims,
          (select epoch from workflow_epoch) as workflow_epoch
