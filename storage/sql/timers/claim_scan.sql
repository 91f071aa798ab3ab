-- Locks a scan of some shards that no other worker performs. Businesses take turns.
-- $1 shards smallint[], $2 passed_over uuid[] (workflows), $3 last_business uuid (which had its turn)
-- -> business_id uuid, workflow_id uuid, plan int, position uuid, since timestamptz or null
select business_id, workflow_id, plan, position, since from timer_scans
where shard_of(business_id) = any ($1::smallint[]) and workflow_id <> all ($2::uuid[])
order by business_id <= $3::uuid, business_id, workflow_id limit 1
for update skip locked
