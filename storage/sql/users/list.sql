-- Returns a business's users, including invited ones, oldest first.
-- $1 business uuid
select
\ir answer.inc
from users u
where u.business_id = $1::uuid
order by u.created_at, u.guid
limit 1000
