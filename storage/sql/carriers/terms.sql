-- Returns what a configuration is checked against: a carrier's code, the codes of its service levels, whether the
-- business made the carrier, and the present configuration (nulls if there is none).
-- $1 business uuid, $2 carrier uuid
-- -> code text, level_codes jsonb, account_number text or null, tracking_url_pattern text or null,
-- is_own boolean, sealed_key text or null (in hex), sealed_secret text or null (in hex), connector text or null,
-- api_url text or null, test_mode boolean or null, service_codes jsonb or null, label_format text or null
select k.code, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as level_codes, g.account_number,
       k.tracking_url_pattern, k.business_id = $1 as is_own, encode(g.sealed_api_key, 'hex') as sealed_key,
       encode(g.sealed_api_secret, 'hex') as sealed_secret, g.connector, g.api_url, g.test_mode, g.service_codes, g.label_format
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
