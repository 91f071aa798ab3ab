-- Takes the first postponed matches of the workflow $1, at most $2, in the order of their events.
with taken as (
  select ctid as place from postponed_matches
  where workflow_id = $1::uuid
  order by event_id
  limit $2::bigint
  for update skip locked
), gone as (
  delete from postponed_matches p using taken t where p.ctid = t.place  -- of rows that this statement holds
  returning p.business_id, p.event_id, p.at
)
select business_id, event_id, at from gone order by event_id
