-- Returns a user of a business.
-- $1 business uuid, $2 user uuid
select
\ir answer.inc
from users u
where u.business_id = $1::uuid and u.guid = $2::uuid
