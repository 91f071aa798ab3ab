-- Erases a person's data in finished runs of records. Returns the number of runs that held some.
-- $1 business uuid, $2 records uuid[]
-- -> runs bigint
with changed as (
  update runs r
  set request = case when r.action in ('update_status', 'push_tracking') then r.request else 'null' end, body = null,
      error = null, tries = erased_tries(r.tries)
  where r.business_id = $1 and r.entity_id = any ($2::uuid[])
    and (r.body is not null or r.error is not null or r.tries::jsonb <> erased_tries(r.tries)::jsonb
         or (r.request <> 'null' and r.action not in ('update_status', 'push_tracking')))
  returning 1
)
select count(*) as runs from changed
