-- Ends the suspension of a business. No row if its deletion has begun.
-- $1 business uuid
-- -> guid uuid
update businesses set suspended_at = null, updated_at = now() where guid = $1::uuid and deleting_at is null
returning guid
