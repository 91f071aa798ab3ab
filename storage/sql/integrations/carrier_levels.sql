-- Returns those of the given carriers that the business may use, with the codes of their service levels.
-- $1 business uuid, $2 carriers uuid[]
-- -> guid uuid, levels jsonb
select k.guid, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as levels
from carriers k
where k.business_id in ($1, catalogue_business()) and k.guid = any ($2::uuid[]) and k.deleted_at is null
