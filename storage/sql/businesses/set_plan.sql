-- Sets a business's plan.
-- $1 business, $2 plan
update businesses set plan = $2::text, updated_at = now() where guid = $1::uuid
