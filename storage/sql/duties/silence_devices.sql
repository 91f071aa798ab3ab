-- Devices that have said nothing for a while are offline.
update tracking_devices set status = 'offline'
where status <> 'offline' and coalesce(last_seen, created_at) < now() - interval '15 minutes'
