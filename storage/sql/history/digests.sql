-- Returns the digests that have collected some events of a business, with the time at which an open one is due. An event is dropped
-- if it will be in no run.
-- $1 business uuid, $2 events bigint[], $3 times timestamptz[]
-- -> event_id bigint, event_at timestamptz, workflow_id uuid, digest_id uuid, due_at timestamptz or null, is_dropped boolean
select e.event_id, e.event_at, e.workflow_id, e.digest_id, d.due_at,
       e.is_dropped or (d.guid is not null and (w.guid is null or w.deleted_at is not null)) as is_dropped
from unnest($2::bigint[], $3::timestamptz[]) n (id, at)
join digest_events e on e.business_id = $1::uuid and e.event_at = n.at and e.event_id = n.id
left join digests d on d.business_id = e.business_id and d.guid = e.digest_id
left join workflows w on w.business_id = e.business_id and w.guid = e.workflow_id
