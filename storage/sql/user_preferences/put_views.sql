-- Replaces the saved views of a user, and returns them; no row if the user does not belong to the business any more.
-- $1 business uuid, $2 user uuid, $3 views jsonb (an array)
insert into user_preferences as p (business_id, user_id, views)
select u.business_id, u.guid, $3::jsonb from users u where u.business_id = $1::uuid and u.guid = $2::uuid
on conflict (business_id, user_id) do update set views = excluded.views, updated_at = now()
returning views
