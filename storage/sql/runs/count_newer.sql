-- Returns the number of a business's runs that are newer than a run, at most 100. api/workflows/runs/run_list.cpp
-- inserts the parts of a request in the marked places.
-- $1 business uuid, $2 since uuid
-- -> runs bigint
select count(*) as runs from (
  (select guid from runs where business_id = $1::uuid and guid > $2::uuid/*finished*//*days*/ limit 100)
  union all
  (select guid from run_queue where business_id = $1::uuid and guid > $2::uuid/*open*/ limit 100)
  limit 100
) newer
