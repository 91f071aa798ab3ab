-- The users of business $1 and those who are invited, in the order in which they came.
select
\ir answer.inc
from users u
where u.business_id = $1::uuid
order by u.created_at, u.guid
limit 1000
