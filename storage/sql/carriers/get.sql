-- A carrier, whole: $1 business, $2 guid.
select guid, name, code, type, false as "isConfigured", false as "isActive", service_levels as "serviceLevels",
       null::text as "configuration.accountNumber", null::text as "configuration.defaultServiceLevel", features
from carriers where business_id in ($1, '00000000-0000-0000-0000-000000000000') and guid = $2
