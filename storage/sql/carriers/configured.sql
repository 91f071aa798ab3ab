-- Returns the carriers that a business has configured, by name.
-- $1 business uuid
select k.guid, k.name, k.code, k.type, true as "isConfigured", g.is_active as "isActive",
       g.connector, g.account_number as "accountNumber",
       array_to_json(array(select json_build_object('code', l -> 'code', 'name', l -> 'name')
                           from jsonb_array_elements(k.service_levels) l)) as "serviceLevels"
from carrier_configurations g
join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = g.carrier_id
where g.business_id = $1 and k.deleted_at is null
order by k.name, k.guid limit 1000
