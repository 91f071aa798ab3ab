-- The battery level of a device is that of its newest position that has one, in whatever order the positions arrive. Null counts
-- as last_seen: for levels that earlier processes wrote.
alter table tracking_devices add column battery_at timestamptz(3);  -- time of the position that has battery_level
