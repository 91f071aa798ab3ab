-- Returns the saved views of users of a business, by user.
-- $1 business uuid, $2 after_user uuid, $3 limit bigint
-- -> user_id uuid, views text
select user_id, views::text as views
from user_preferences
where business_id = $1::uuid and user_id > $2::uuid
order by user_id limit $3::bigint
