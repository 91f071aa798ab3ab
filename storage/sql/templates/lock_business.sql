-- Locks a business against other new templates until the transaction ends.
-- $1 business uuid
select from businesses where guid = $1::uuid for no key update
