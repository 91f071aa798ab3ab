-- Deletes and returns the first postponed matches of a workflow, in order of their events.
-- $1 workflow uuid, $2 limit bigint
-- -> business_id uuid, event_id bigint, at timestamptz
with taken as (
  select ctid as place from postponed_matches
  where workflow_id = $1::uuid
  order by event_id
  limit $2::bigint
  for update skip locked
), gone as (
  delete from postponed_matches p using taken t where p.ctid = t.place  -- all but the rows that another session has just written
  returning p.business_id, p.event_id, p.at
)
select business_id, event_id, at from gone order by event_id
