-- The workflows that come with each business, and what replays and changes by runs draw on.

-- Workflows are performed in the order of created_at, so each is made a moment after the one before.
create function add_managed_workflows(business uuid) returns void language sql as $$
  with made as (
    insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_active, is_managed, created_at)
    select business, m.name, 1, 'shipment_status_changed', m.action, m.conditions, m.is_active, true,
           now() + m.number * interval '1 microsecond'
    from (values
      (0, 'Order shipped when a shipment of it is underway or delivered', true,
       '{"type": "update_status", "recipient": "order", "template": "shipped", "status": "shipped",
         "whenAllShipments": null}'::jsonb,
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'::jsonb),
      (1, 'Order delivered when all its shipments are', true,
       '{"type": "update_status", "recipient": "order", "template": "delivered", "status": "delivered",
         "whenAllShipments": "delivered"}',
       '{"orderId": {"exists": true}, "status": {"in": ["delivered", "cancelled"]}}'),
      -- Switched on by the first store that wants it.
      (2, 'Push tracking to the store when a shipment is underway or delivered', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"nin": ["collected", "in_transit", "out_for_delivery", "delivered"]}}')
    ) m (number, name, is_active, action, conditions)
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

-- Pushing tracking is switched on with a business's first active store that wants it, and off with the last; in between it
-- is switched as any workflow is.
create function wants_tracking(i integrations) returns boolean language sql immutable as $$
  select i.status = 'active' and i.removed_at is null and i.push_tracking $$;

create function follow_push_tracking() returns trigger language plpgsql as $$
declare
  changed integrations := case when tg_op = 'DELETE' then old else new end;
  wanted boolean := tg_op <> 'DELETE' and wants_tracking(new);
begin
  if wanted = (tg_op <> 'INSERT' and wants_tracking(old)) then return null; end if;
  -- Of two stores that change at the same time, the later sees the earlier.
  perform from workflows w
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking' for update;
  if exists (select from integrations i
             where i.business_id = changed.business_id and i.guid <> changed.guid and wants_tracking(i)) then
    return null;
  end if;
  update workflows w
  set is_active = wanted, active_since = case when wanted then now() else w.active_since end, updated_at = now()
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking'
    and w.is_active <> wanted;
  return null;
end $$;
create trigger push_tracking_follows after insert or update of status, push_tracking, removed_at or delete on integrations
  for each row execute function follow_push_tracking();

-- The time in a guid that begins with one (version 7 of RFC 9562, and the runs' own), to the millisecond.
create function guid_time(guid uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(guid::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- A new guid of version 7.
create function timed_guid(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_byte(g.bytes, 6, (get_byte(g.bytes, 6) & 15) | 112), 'hex')::uuid
  from (select substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
               || substring(uuid_send(gen_random_uuid()) from 7) as bytes) g $$;
