-- An erasure, and the export of a person, find the deleted customers that had the person's e-mail address. The steps run outside
-- a transaction, so none of them keeps writers waiting. A migration that was interrupted runs all of them again.

-- @step
drop index concurrently if exists @schema@.customers_deleted_by_email;

-- @step
create index concurrently customers_deleted_by_email on customers (business_id, lower(email)) where deleted_at is not null;
