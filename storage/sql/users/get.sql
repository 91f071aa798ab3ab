-- Returns a user of a business, also by the guid of the invitation that the user accepted.
-- $1 business uuid, $2 user uuid
select
\ir answer.inc
from users u
where u.business_id = $1::uuid and $2::uuid in (u.guid, u.invited_as)
