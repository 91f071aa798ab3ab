-- Connects a store and returns the integration. No row if the store is already connected or its state is not
-- the expected one.
-- $1 business uuid, $2 integration uuid, $3 provider text, $4 store_url text, $5 sealed_key bytea,
-- $6 sealed_secret bytea or null, $7 import_orders boolean, $8 sync_products boolean, $9 push_tracking boolean,
-- $10 is_removed boolean (the expected state of the store)
insert into integrations as i
  (business_id, guid, provider, store_url, api_key, api_secret, auto_import, sync_products, push_tracking)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (business_id, provider, store_url) do update
set api_key = excluded.api_key, api_secret = excluded.api_secret, auto_import = excluded.auto_import,
    sync_products = excluded.sync_products, push_tracking = excluded.push_tracking, status = 'active',
    connected_at = now(), removed_at = null, due_at = now(), failures = 0
where i.guid = excluded.guid and (i.status = 'disabled' or i.removed_at is not null)
  and (i.removed_at is not null) = $10
returning guid, provider, status, connected_at as "connectedAt"
