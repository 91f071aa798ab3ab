-- Locks and returns the saved views of a user of a business.
-- $1 business uuid, $2 user uuid
-- -> views text
select views::text as views from user_preferences where business_id = $1::uuid and user_id = $2::uuid for update
