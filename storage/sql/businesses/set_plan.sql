-- Sets a business's plan.
-- $1 business uuid, $2 plan text
update businesses set plan = $2::text, updated_at = now() where guid = $1::uuid
