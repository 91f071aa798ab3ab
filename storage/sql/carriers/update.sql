-- Changes a carrier's configuration and the pattern of a business's own carrier, and returns the carrier. Null
-- leaves $3 to $5, $15 and $19 unchanged; $20 is null if the connection was not checked. No row if the carrier
-- is not configured, unless only its pattern changes.
-- $1 business uuid, $2 carrier uuid, $3 active boolean or null, $4 account_number text or null,
-- $5 test_mode boolean or null, $6 set_default_service_level boolean, $7 default_service_level text or null,
-- $8 set_key boolean, $9 sealed_key bytea or null, $10 set_secret boolean, $11 sealed_secret bytea or null,
-- $12 set_pattern boolean, $13 tracking_url_pattern text or null, $14 only_pattern boolean,
-- $15 connector text or null, $16 api_url text or null, $17 service_codes jsonb or null,
-- $18 label_format text or null, $19 tracking_sync boolean or null, $20 connection_status text or null,
-- $21 connection_error text or null
with changed as (
  update carrier_configurations g
  set is_active = coalesce($3, g.is_active), account_number = coalesce($4, g.account_number),
      test_mode = coalesce($5, g.test_mode),
      default_service_level = case when $6 then $7 else g.default_service_level end,
      sealed_api_key = case when $8 then $9 else g.sealed_api_key end,
      sealed_api_secret = case when $10 then $11 else g.sealed_api_secret end,
      connector = coalesce($15::text, g.connector), api_url = $16::text, service_codes = $17::jsonb,
      label_format = $18::text, tracking_sync = coalesce($19::boolean, g.tracking_sync),
      connection_status = case when coalesce($15::text, g.connector) = 'manual' then null
                               else coalesce($20::text, g.connection_status) end,
      connection_error = case when $20::text is null then g.connection_error else $21::text end,
      checked_at = case when $20::text is null then g.checked_at else now() end,
      tracking_failures = case when $20::text is null then g.tracking_failures else 0 end,
      tracking_paused_until = case when $20::text is null then g.tracking_paused_until end
  where g.business_id = $1 and g.carrier_id = $2
  returning carrier_id, is_active
), patterned as (
  update carriers k set tracking_url_pattern = $13
  where $12 and k.business_id = $1 and k.guid = $2 and k.deleted_at is null
    and ($14 or exists (select from changed))
)
select k.guid, k.name, coalesce(g.is_active, false) as "isActive"
from carriers k
left join changed g on g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
  and ($14 or g.carrier_id is not null)
