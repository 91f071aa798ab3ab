-- Drivers, vehicles, tracking devices and their positions.

create table drivers (
  business_id     uuid not null references businesses,
  guid            uuid not null default gen_random_uuid(),
  name            text not null check (name <> ''),
  email           text,
  phone           text,
  license_number  text,
  status          text not null default 'available' check (status in ('available', 'on_duty', 'off_duty', 'inactive')),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  primary key (business_id, guid)
);
create index drivers_by_name on drivers (business_id, name, guid) where deleted_at is null;
create trigger limit_rows before insert on drivers for each row execute function limit_rows('deleted_at is null');
create trigger touch before update on drivers for each row execute function touch_updated_at();

create table vehicles (
  business_id        uuid not null references businesses,
  guid               uuid not null default gen_random_uuid(),
  name               text not null check (name <> ''),
  license_plate      text not null check (license_plate <> ''),
  type               text not null check (type in ('van', 'car', 'truck', 'motorcycle', 'bicycle', 'other')),
  make               text,
  model              text,
  year               integer,
  capacity_weight    numeric check (capacity_weight >= 0 and capacity_weight < 1e12),
  capacity_volume    numeric check (capacity_volume >= 0 and capacity_volume < 1e12),
  status             text not null default 'available' check (status in ('available', 'in_use', 'maintenance', 'inactive')),
  current_driver_id  uuid,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  deleted_at         timestamptz(3),
  primary key (business_id, guid)
);
create index vehicles_by_name on vehicles (business_id, name, guid) where deleted_at is null;
create index vehicles_by_driver on vehicles (business_id, current_driver_id) where current_driver_id is not null;
create trigger limit_rows before insert on vehicles for each row execute function limit_rows('deleted_at is null');
create trigger touch before update on vehicles for each row execute function touch_updated_at();

-- Each batch of positions updates the device's row. Free space in the page keeps these updates off the indexes.
create table tracking_devices (
  business_id    uuid not null references businesses,
  guid           uuid not null default gen_random_uuid(),
  device_id      text not null check (device_id ~ '^[A-Za-z0-9:_-]{3,64}$'),
  type           text not null check (type <> ''),
  vehicle_id     uuid,
  status         text not null default 'active' check (status in ('active', 'offline', 'low_battery', 'error')),
  last_seen      timestamptz(3),  -- time of its newest position
  battery_level  numeric check (battery_level between 0 and 100),
  fault          text,            -- reported with its newest position; null: none
  created_at     timestamptz(3) not null default now(),
  primary key (business_id, guid),
  constraint tracking_devices_id_unique unique (business_id, device_id)
) with (fillfactor = 70);
create index tracking_devices_by_vehicle on tracking_devices (business_id, vehicle_id) where vehicle_id is not null;
create trigger limit_rows before insert on tracking_devices for each row execute function limit_rows('true');

-- The status of a device by its newest position.
create function device_status(last_seen timestamptz, battery_level numeric, fault text) returns text
language sql stable as $$
  select case when last_seen < now() - interval '15 minutes' then 'offline'
              when fault is not null then 'error'
              when battery_level < 15 then 'low_battery'
              else 'active' end $$;

-- One row for each position fix, partitioned by week. The primary key also serves a device's positions in order.
create table positions (
  business_id  uuid not null,
  device_guid  uuid not null,
  at           timestamptz(3) not null check (at >= timestamptz '0001-01-01 00:00:00+00'
                                              and at < timestamptz '10000-01-01 00:00:00+00'),
  latitude     float8 not null check (latitude between -90 and 90),
  longitude    float8 not null check (longitude between -180 and 180),
  speed        float4,
  heading      float4,
  primary key (business_id, device_guid, at)
) partition by range (at);
