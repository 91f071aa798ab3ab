-- Locks and returns the first events that were set aside for a resumed business, in order. No row if the worker does not
-- own the business's shard or the business is suspended again.
-- $1 business uuid, $2 worker uuid, $3 limit bigint
-- -> event_id bigint, at timestamptz
select event_id, at from suspended_events
where business_id = $1::uuid
  and exists (select from shards where shard = shard_of($1::uuid) and owner = $2::uuid)
  and exists (select from businesses where guid = $1::uuid and suspended_at is null)
order by event_id, at
limit $3::bigint
for update
