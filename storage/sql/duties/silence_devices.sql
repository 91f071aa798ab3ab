-- Sets tracking devices to offline after 15 minutes without a message. One that another session has locked waits for the next
-- time.
with silent as materialized (
  select k.business_id, k.guid from tracking_devices k
  where k.status <> 'offline' and coalesce(k.last_seen, k.created_at) < now() - interval '15 minutes'
  for update skip locked
)
update tracking_devices k set status = 'offline' from silent s where k.business_id = s.business_id and k.guid = s.guid
