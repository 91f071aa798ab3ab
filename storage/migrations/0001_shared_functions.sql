-- Extensions, and functions that several subjects use.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- A timestamp in the form that the API shows.
create function iso(t timestamptz) returns text language sql stable as $$
  select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Runs with the rights and the search_path of the session that writes a record, so every name is qualified.
create function touch_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := pg_catalog.now();
  return new;
end $$;

-- A new guid of version 7 (RFC 9562 section 5.7) with the given time.
create function timed_guid(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_byte(g.bytes, 6, (get_byte(g.bytes, 6) & 15) | 112), 'hex')::uuid
  from (select substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
               || substring(uuid_send(gen_random_uuid()) from 7) as bytes) g $$;

-- The time in the first 48 bits of a guid of version 7 or of a run, to the millisecond.
create function guid_time(guid uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(guid::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- The smallest guid with the given time in its first 48 bits; limits a range of runs by time.
create function first_guid(at timestamptz) returns uuid language sql stable as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;
