-- The workflows that come with each business, and what replays and changes by runs draw on.

-- Workflows are performed in the order of created_at, so each is made a moment after the one before.
create function add_managed_workflows(business uuid) returns void language sql as $$
  with made as (
    insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_managed, created_at)
    select business, m.name, 1, 'shipment_status_changed',
           jsonb_build_object('type', 'update_status', 'recipient', 'order', 'template', m.status, 'status', m.status,
                              'whenAllShipments', m.when_all),
           m.conditions, true, now() + m.number * interval '1 microsecond'
    from (values
      (0, 'Order shipped when a shipment of it is underway or delivered', 'shipped', null,
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'::jsonb),
      (1, 'Order delivered when all its shipments are', 'delivered', 'delivered',
       '{"orderId": {"exists": true}, "status": {"in": ["delivered", "cancelled"]}}')
    ) m (number, name, status, when_all, conditions)
    returning *
  )
  insert into workflow_versions (business_id, workflow_id, version, definition)
  select business_id, guid, version, workflow_definition(made) from made $$;

create function manage_new_business() returns trigger language plpgsql as $$
begin
  perform add_managed_workflows(new.guid);
  return null;
end $$;
create trigger managed_workflows after insert on businesses for each row execute function manage_new_business();

select add_managed_workflows(guid) from businesses;

-- The time in a guid that begins with one (version 7 of RFC 9562, and the runs' own), to the millisecond.
create function guid_time(guid uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(guid::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- A new guid of version 7.
create function timed_guid(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_byte(g.bytes, 6, (get_byte(g.bytes, 6) & 15) | 112), 'hex')::uuid
  from (select substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
               || substring(uuid_send(gen_random_uuid()) from 7) as bytes) g $$;
