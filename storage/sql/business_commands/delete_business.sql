-- Deletes a business without rows in other tables, after its deletion was begun.
-- $1 business uuid
delete from businesses where guid = $1::uuid and deleting_at is not null
