-- Deletes the events that this transaction has written for records: they hold the data before the erasure.
-- $1 business uuid, $2 records uuid[], $3 last_event bigint (before the transaction)
with gone as (
  delete from events e
  where e.business_id = $1 and e.entity_id = any ($2::uuid[]) and e.id > $3::bigint and e.xmin = pg_current_xact_id()::xid
  returning e.id, e.at
)
delete from pending_events p using gone g
where p.shard = shard_of($1) and p.business_id = $1 and p.id = g.id and p.at = g.at
