-- Returns what a configuration is checked against: a carrier's code, the codes of its service levels, the
-- current account number, pattern and sealed credentials, and whether the business made the carrier.
-- $1 business uuid, $2 carrier uuid
-- -> code text, level_codes jsonb, account_number text or null, tracking_url_pattern text or null,
-- is_own boolean, sealed_key text or null (in hex), sealed_secret text or null (in hex)
select k.code, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as level_codes, g.account_number,
       k.tracking_url_pattern, k.business_id = $1 as is_own, encode(g.sealed_api_key, 'hex') as sealed_key,
       encode(g.sealed_api_secret, 'hex') as sealed_secret
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
