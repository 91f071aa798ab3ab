-- Locks and returns the digests that take events of some workflows, versions and values, the newest last. Those that another
-- session has locked are left out.
-- $1 businesses uuid[], $2 workflows uuid[], $3 versions int[], $4 value_keys uuid[]
-- -> business_id uuid, guid uuid, workflow_id uuid, version int, value_key uuid, began_at timestamptz, last_at timestamptz,
-- due_at timestamptz, count int, bytes bigint
select d.business_id, d.guid, d.workflow_id, d.version, d.value_key, d.began_at, d.last_at, d.due_at, d.count, d.bytes
from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::uuid[]) n (business_id, workflow_id, version, value_key)
join digests d on d.business_id = n.business_id and d.workflow_id = n.workflow_id and d.version = n.version
                  and d.value_key = n.value_key and not d.is_full
order by d.began_at, d.guid
for update of d skip locked
