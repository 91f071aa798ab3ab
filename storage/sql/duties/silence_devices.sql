-- Sets tracking devices to offline after 15 minutes without a message. One that another session has locked waits for the next
-- time. Returns the number of devices, at most a limit.
-- $1 limit bigint
-- -> silenced bigint
with silent as materialized (
  select k.business_id, k.guid from tracking_devices k
  where k.status <> 'offline' and coalesce(k.last_seen, k.created_at) < now() - interval '15 minutes'
  limit $1::bigint for update skip locked
), changed as (
  update tracking_devices k set status = 'offline' from silent s where k.business_id = s.business_id and k.guid = s.guid
)
select count(*) as silenced from silent
