-- Returns the built-in carriers and those of a business, by name.
-- $1 business uuid
select k.guid, k.name, k.code, k.type, g.carrier_id is not null as "isConfigured",
       coalesce(g.is_active, false) as "isActive"
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.deleted_at is null
order by k.name, k.guid limit 1000
