-- Drivers, vehicles, the devices that track them, and where those were. Times and numbers that no answer can show are
-- refused, as for records (0002).

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
create trigger listed before insert on drivers for each row execute function refuse_more_than_listed('deleted_at is null');

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
create trigger listed before insert on vehicles for each row execute function refuse_more_than_listed('deleted_at is null');

create trigger touch before update on drivers for each row execute function touch_updated_at();
create trigger touch before update on vehicles for each row execute function touch_updated_at();

-- A device is written with each batch of its positions: room in the page keeps those updates off the indexes.
create table tracking_devices (
  business_id    uuid not null references businesses,
  guid           uuid not null default gen_random_uuid(),
  device_id      text not null check (device_id ~ '^[A-Za-z0-9:_-]{3,64}$'),
  type           text not null check (type <> ''),
  vehicle_id     uuid,
  status         text not null default 'active' check (status in ('active', 'offline', 'low_battery', 'error')),
  last_seen      timestamptz(3),  -- of its newest position
  battery_level  numeric check (battery_level between 0 and 100),
  fault          text,            -- what it reported with its newest position
  created_at     timestamptz(3) not null default now(),
  primary key (business_id, guid),
  constraint tracking_devices_id_unique unique (business_id, device_id)
) with (fillfactor = 70);
create index tracking_devices_by_vehicle on tracking_devices (business_id, vehicle_id) where vehicle_id is not null;
create trigger listed before insert on tracking_devices for each row execute function refuse_more_than_listed('true');

-- What a device's newest report makes of it.
create function device_status(last_seen timestamptz, battery_level numeric, fault text) returns text
language sql stable as $$
  select case when last_seen < now() - interval '15 minutes' then 'offline'
              when fault is not null then 'error'
              when battery_level < 15 then 'low_battery'
              else 'active' end $$;

-- One row a fix; the key alone finds a device's way in order. Partitioned by week, so that old ones cost nothing to drop.
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
create table positions_other partition of positions default;

-- Weekly partitions (from Mondays, UTC) from `first` to `last`. What was stored ahead of its week moves into it.
create function make_position_partitions(first date, last date) returns void language plpgsql as $$
declare
  week date;
  part text;
  starts timestamptz;
  ends timestamptz;
begin
  perform pg_advisory_xact_lock(hashtext('waybill.make_position_partitions'));
  for week in select generate_series(date_trunc('week', first::timestamp), last, interval '7 days')::date loop
    part := 'positions' || to_char(week, '_YYYYMMDD');
    continue when to_regclass(part) is not null;
    starts := week::timestamp at time zone 'UTC';
    ends := (week + 7)::timestamp at time zone 'UTC';
    execute format('create table %I (like positions including defaults including constraints)', part);
    execute format('with early as (delete from positions_other where at >= $1 and at < $2 returning *)
                    insert into %I select * from early', part) using starts, ends;
    execute format('alter table positions attach partition %I for values from (%L) to (%L)', part, starts, ends);
  end loop;
end $$;

-- Drops the weeks that end before `oldest`, and what is as old outside of them. Answers what was dropped.
create function drop_position_partitions(oldest date) returns setof text language plpgsql as $$
declare
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('waybill.make_position_partitions'));
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'positions'::regclass and c.relname ~ '^positions_[0-9]{8}$'
                and to_date(right(c.relname, 8), 'YYYYMMDD') + 7 <= oldest loop
    execute format('drop table %I', part);
    return next part;
  end loop;
  delete from positions_other where at < oldest::timestamp at time zone 'UTC';
end $$;

select make_position_partitions((now() at time zone 'UTC')::date - 28, (now() at time zone 'UTC')::date + 14);
