-- Connects a store: $1 business, $2 guid, $3 provider, $4 address, $5 and $6 the sealed key and secret, $7 to $9 whether to
-- import orders, to sync products and to push tracking, $10 whether it was removed before. No row: it is connected already,
-- or no longer what its caller took it for.
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
