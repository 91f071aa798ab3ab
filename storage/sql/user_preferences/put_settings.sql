-- Replaces the settings of a user, and returns them; no row if the user does not belong to the business any more.
-- $1 business uuid, $2 user uuid, $3 language text or null, $4 zone text or null, $5 theme text or null
insert into user_preferences as p (business_id, user_id, language, timezone, theme)
select u.business_id, u.guid, $3, $4, $5 from users u where u.business_id = $1::uuid and u.guid = $2::uuid
on conflict (business_id, user_id) do update
set language = excluded.language, timezone = excluded.timezone, theme = excluded.theme, updated_at = now()
returning language, timezone as zone, theme
