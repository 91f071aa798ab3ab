-- Suspends a business. The time of the first suspension stays.
-- $1 business uuid
update businesses set suspended_at = coalesce(suspended_at, now()), updated_at = now() where guid = $1::uuid
