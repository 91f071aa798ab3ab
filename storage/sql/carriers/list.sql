-- The carriers a business sees, built-in and its own: $1 business.
select guid, name, code, type, false as "isConfigured", false as "isActive"
from carriers where business_id in ($1, '00000000-0000-0000-0000-000000000000')
order by name, guid limit 1000
