-- Changes the given columns of a driver and returns it.
-- $1 business uuid, $2 driver uuid, $3 changes jsonb (JSON object by column)
update drivers r
set name = case when g ? 'name' then g ->> 'name' else name end,
    email = case when g ? 'email' then g ->> 'email' else email end,
    phone = case when g ? 'phone' then g ->> 'phone' else phone end,
    license_number = case when g ? 'license_number' then g ->> 'license_number' else license_number end,
    status = case when g ? 'status' then g ->> 'status' else status end
from cast($3 as jsonb) g
where business_id = $1 and guid = $2 and deleted_at is null
returning
\ir answer.inc
