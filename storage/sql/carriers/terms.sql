-- Returns what a configuration is checked against: a carrier's code, the codes of its service levels, and the
-- current account number.
-- $1 business uuid, $2 carrier uuid
-- -> code text, level_codes jsonb, account_number text or null
select k.code, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as level_codes, g.account_number
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
