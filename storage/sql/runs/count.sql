-- How many runs of business $1 there are: the open ones, in a row without a day, and the finished ones of each day (UTC).
-- api/workflows/run_list.cpp puts what a call asks for in the marked places.
select null::date as day, count(*) as runs from run_queue where business_id = $1::uuid/*open*/
union all
select day, sum(runs)::bigint from (
  select (start at time zone 'UTC')::date as day, runs from run_counts where business_id = $1::uuid/*counted*/
  union all
  select (created_at at time zone 'UTC')::date, 1 from runs where business_id = $1::uuid/*each*/
) finished
group by day
