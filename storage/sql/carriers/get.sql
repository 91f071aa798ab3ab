-- Returns a carrier with its configuration. `trackingBehind` is how late the pull is that waits longest, in seconds.
-- $1 business uuid, $2 carrier uuid
select k.guid, k.name, k.code, k.type, g.carrier_id is not null as "isConfigured",
       coalesce(g.is_active, false) as "isActive", k.service_levels as "serviceLevels",
       g.account_number as "configuration.accountNumber", g.default_service_level as "configuration.defaultServiceLevel",
       g.connector, case when g.carrier_id is not null then
         json_build_object('apiUrl', g.api_url, 'testMode', g.test_mode, 'serviceCodes', g.service_codes,
                           'labelFormat', g.label_format, 'trackingSync', g.tracking_sync) end as settings,
       case when g.connector <> 'manual' then
         json_build_object('status', g.connection_status, 'checkedAt', iso(g.checked_at), 'error', g.connection_error,
                           'trackingBehind', late.seconds)
       end as connection,
       k.tracking_url_pattern as "trackingUrlPattern"
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
left join lateral (
  select floor(extract(epoch from statement_timestamp() - p.due_at))::bigint as seconds from tracking_pulls p
  where p.business_id = $1 and p.carrier_id = g.carrier_id and p.due_at <= statement_timestamp()
    and g.is_active and g.tracking_sync and g.connector <> 'manual'
  order by p.due_at limit 1) late on true
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
