-- Makes the next runs after ordered ones that ended due, if postpone_blocked.sql has postponed them. A run that is due is
-- written as well, because that statement may be about to postpone it. Each keeps the event of the one that ended
-- (may_go.inc), but the ids of runs without an event are not in order. Runs are written by their places, since the planner
-- takes all indexes for equally good while it assumes the table to be empty. Returns true if another session has moved one
-- since this statement began: run it again.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 events bigint[], $5 runs uuid[], $6 replays uuid[] (of
-- these runs)
-- -> is_outdated boolean
with ended as (
  select *, guid = any ($6::uuid[]) as is_replay
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[])
    g (business_id, workflow_id, entity_id, event_id, guid)
),
\ir next_runs.inc
, next as materialized (
  select n.place, max(n.ended_event) as event_id from next_runs n
  where n.status in ('waiting', 'queued', 'retrying') and (n.due_at <= statement_timestamp() or n.due_at = n.postponed_until)
  group by n.place
), made_due as (
  update run_queue q set due_at = clock_timestamp(), ordered_from = case when n.event_id > 0 then n.event_id else q.ordered_from end
  from next n where q.ctid = n.place
  returning 1
)
select (select count(*) from made_due) < (select count(*) from next) as is_outdated
