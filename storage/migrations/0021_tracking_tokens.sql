-- The token of each shipment's public page: 128 random bits. It has a table, because a column would rewrite the shipments
-- that exist.

create table tracking_tokens (
  token        uuid primary key,
  business_id  uuid not null,
  shipment_id  uuid not null,
  foreign key (business_id, shipment_id) references shipments on delete cascade
);
create unique index tracking_tokens_by_shipment on tracking_tokens (business_id, shipment_id) include (token);

-- gen_random_uuid has 122 random bits.
create function random_token() returns uuid language sql volatile
return encode(substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16), 'hex')::uuid;

create function add_tracking_tokens() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
begin
  insert into tracking_tokens (token, business_id, shipment_id)
  select random_token(), n.business_id, n.guid from new_rows n;
  return null;
end $$;
revoke execute on function add_tracking_tokens() from public;
create trigger tracking_tokens after insert on shipments referencing new table as new_rows
  for each statement execute function add_tracking_tokens();

-- The minutes by which a zone's clocks are ahead of UTC at a time.
create function minutes_east(at timestamptz, zone text) returns int language sql stable as $$
  select (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) / 60)::int $$;
