-- Adds the event customer_erased, which holds no record.
-- $1 business uuid, $2 customer uuid
with written as (
  insert into events (business_id, entity_type, entity_id, cause, detail)
  values ($1, 2, $2, event_cause(), '{"erased": true}')
  returning id, at
)
insert into pending_events (shard, id, business_id, at)
select shard_of($1), id, $1, at from written
