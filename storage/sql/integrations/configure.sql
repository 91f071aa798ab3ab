-- Connects a store and returns the integration. No row if the store is already connected or its state is not
-- the expected one. A store that is connected again keeps its service mapping and import_since unless others are given;
-- an earlier import_since makes the next import read all orders again.
-- $1 business uuid, $2 integration uuid, $3 provider text, $4 store_url text, $5 sealed_key bytea,
-- $6 sealed_secret bytea or null, $7 import_orders boolean, $8 sync_products boolean, $9 push_tracking boolean,
-- $10 is_removed boolean (the expected state of the store), $11 service_mapping jsonb or null,
-- $12 import_since timestamptz or null
insert into integrations as i
  (business_id, guid, provider, store_url, api_key, api_secret, auto_import, sync_products, push_tracking,
   service_mapping, import_since)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($11::jsonb, '[]'), $12::timestamptz)
on conflict (business_id, provider, store_url) do update
set api_key = excluded.api_key, api_secret = excluded.api_secret, auto_import = excluded.auto_import,
    sync_products = excluded.sync_products, push_tracking = excluded.push_tracking, status = 'active',
    connected_at = now(), first_connected_at = coalesce(i.first_connected_at, i.connected_at), removed_at = null,
    due_at = now(), failures = 0, products_failures = 0, products_due_at = null,
    service_mapping = coalesce($11::jsonb, i.service_mapping),
    import_since = coalesce($12::timestamptz, i.import_since,
                            coalesce(i.first_connected_at, i.connected_at) - interval '30 days'),
    orders_reached = case when $12::timestamptz >= coalesce(i.import_since, coalesce(i.first_connected_at, i.connected_at)
                                                                              - interval '30 days')
                            or $12::timestamptz is null then i.orders_reached end
where i.guid = excluded.guid and (i.status = 'disabled' or i.removed_at is not null)
  and (i.removed_at is not null) = $10
returning guid, provider, status, connected_at as "connectedAt"
