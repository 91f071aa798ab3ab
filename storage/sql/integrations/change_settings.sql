-- Changes settings of an active store; a null keeps the setting. No row if the store is not active. An earlier
-- import_since makes the next import read all orders again, and ends the current one, which could otherwise move
-- orders_reached on.
-- $1 business uuid, $2 integration uuid, $3 import_orders boolean or null, $4 sync_products boolean or null,
-- $5 push_tracking boolean or null, $6 service_mapping jsonb or null, $7 import_since timestamptz or null,
-- $8 default_since boolean (import_since becomes the default)
with before as (
  select o.guid,
         case when $8 then f.default_since else $7::timestamptz end < coalesce(o.import_since, f.default_since) as is_earlier
  from integrations o
  cross join lateral (select coalesce(o.first_connected_at, o.connected_at) - interval '30 days' as default_since) f
  where o.business_id = $1 and o.guid = $2 and o.status = 'active' and o.removed_at is null
  for update of o
)
update integrations i
set auto_import = coalesce($3::boolean, i.auto_import), sync_products = coalesce($4::boolean, i.sync_products),
    push_tracking = coalesce($5::boolean, i.push_tracking), service_mapping = coalesce($6::jsonb, i.service_mapping),
    import_since = case when $8 then null else coalesce($7::timestamptz, i.import_since) end,
    orders_reached = case when b.is_earlier then null else i.orders_reached end,
    lease_owner = case when b.is_earlier then null else i.lease_owner end,
    lease_until = case when b.is_earlier then null else i.lease_until end,
    due_at = case when b.is_earlier or $3::boolean > i.auto_import or $4::boolean > i.sync_products then now()
                  else i.due_at end,
    products_due_at = case when $4::boolean > i.sync_products then null else i.products_due_at end
from before b
where i.business_id = $1 and i.guid = b.guid
returning i.guid
