-- Waits for the ticks of a business's schedules that are under way: their runs may hold records as they were.
-- $1 business uuid
-- -> schedules bigint
select count(*) as schedules from (select 1 from schedules where business_id = $1 for share) s
