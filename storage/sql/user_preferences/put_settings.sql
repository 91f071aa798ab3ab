-- Changes the given settings of a user, and returns all; no row if the user does not belong to the business any more.
-- $1 business uuid, $2 user uuid, $3 changes jsonb (an object with language, zone and theme; null unsets one)
insert into user_preferences as p (business_id, user_id, language, timezone, theme)
select u.business_id, u.guid, $3::jsonb ->> 'language', $3::jsonb ->> 'zone', $3::jsonb ->> 'theme'
from users u where u.business_id = $1::uuid and u.guid = $2::uuid
on conflict (business_id, user_id) do update
set language = case when $3::jsonb ? 'language' then excluded.language else p.language end,
    timezone = case when $3::jsonb ? 'zone' then excluded.timezone else p.timezone end,
    theme = case when $3::jsonb ? 'theme' then excluded.theme else p.theme end,
    updated_at = now()
returning language, timezone as zone, theme
