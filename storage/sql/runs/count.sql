-- Returns the number of a business's runs: the open ones in a row without a day, the finished ones by day
-- (UTC). api/workflows/runs/run_list.cpp inserts the parts of a request in the marked places.
-- $1 business uuid
-- -> day date or null, runs bigint
select null::date as day, count(*) as runs from run_queue where business_id = $1::uuid/*open*/
union all
select day, sum(runs)::bigint from (
  select (start at time zone 'UTC')::date as day, runs from run_counts where business_id = $1::uuid/*counted*/
  union all
  select (created_at at time zone 'UTC')::date, 1 from runs where business_id = $1::uuid/*uncounted*/
) finished
group by day
