-- Returns the number of the next queued runs of records, at most a limit, and the guid of the last of them. `offset 0` lets the
-- indexes on the record find them.
-- $1 business uuid, $2 records uuid[], $3 after uuid, $4 limit bigint
-- -> runs bigint, last uuid
with page as materialized (
  select guid
  from (select guid from run_queue
        where business_id = $1 and entity_id = any ($2::uuid[]) and (status <> 'waiting' or status = 'waiting')
          and guid > $3::uuid
        offset 0) q
  order by guid limit $4::bigint
)
select count(*) as runs, coalesce((select guid from page order by guid desc limit 1), $3::uuid) as last from page
