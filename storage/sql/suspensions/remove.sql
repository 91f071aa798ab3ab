-- Deletes events that were set aside.
-- $1 business uuid, $2 events bigint[], $3 times timestamptz[]
delete from suspended_events e
using unnest($2::bigint[], $3::timestamptz[]) done (id, at)
where e.business_id = $1::uuid and e.event_id = done.id and e.at = done.at
