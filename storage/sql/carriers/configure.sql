-- Configures a carrier and replaces an earlier configuration, but keeps its inbound secret. Returns whether the
-- given secret is the carrier's now, and the carrier. No row if there is none.
-- $1 business uuid, $2 carrier uuid, $3 account_number text or null, $4 default_service_level text or null,
-- $5 test_mode boolean, $6 sealed_key bytea or null, $7 sealed_secret bytea or null,
-- $8 sealed_inbound_secret bytea, $9 connector text, $10 api_url text or null, $11 service_codes jsonb or null,
-- $12 label_format text or null, $13 tracking_sync boolean, $14 connection_status text or null,
-- $15 connection_error text or null
-- -> is_new_secret boolean, ...
with configured as (
  insert into carrier_configurations as g (business_id, carrier_id, account_number, default_service_level, test_mode,
                                           sealed_api_key, sealed_api_secret, sealed_inbound_secret, connector, api_url,
                                           service_codes, label_format, tracking_sync, connection_status, connection_error,
                                           checked_at)
  select $1, k.guid, $3, $4, $5, $6, $7, $8, $9::text, $10::text, $11::jsonb, $12::text, $13::boolean, $14::text, $15::text,
         case when $14::text is not null then now() end
  from carriers k
  where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
  on conflict (business_id, carrier_id) do update
  set account_number = excluded.account_number, default_service_level = excluded.default_service_level,
      test_mode = excluded.test_mode, sealed_api_key = excluded.sealed_api_key,
      sealed_api_secret = excluded.sealed_api_secret, is_active = true,
      sealed_inbound_secret = coalesce(g.sealed_inbound_secret, excluded.sealed_inbound_secret),
      connector = excluded.connector, api_url = excluded.api_url, service_codes = excluded.service_codes,
      label_format = excluded.label_format, tracking_sync = excluded.tracking_sync,
      connection_status = excluded.connection_status, connection_error = excluded.connection_error,
      checked_at = excluded.checked_at, tracking_failures = 0, tracking_paused_until = null
  returning g.carrier_id, g.is_active, g.sealed_inbound_secret
)
select g.sealed_inbound_secret = $8 as is_new_secret, k.guid, k.name, true as "isConfigured", g.is_active as "isActive"
from configured g
join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = g.carrier_id
