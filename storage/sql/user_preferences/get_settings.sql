-- Returns the settings of a user of a business; no row if none were ever saved.
-- $1 business uuid, $2 user uuid
select language, timezone as zone, theme from user_preferences where business_id = $1::uuid and user_id = $2::uuid
