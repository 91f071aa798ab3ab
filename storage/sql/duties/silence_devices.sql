-- Sets tracking devices to offline after 15 minutes without a message.
update tracking_devices set status = 'offline'
where status <> 'offline' and coalesce(last_seen, created_at) < now() - interval '15 minutes'
