-- Ensures that a business has a row of defaults.
-- $1 business uuid
insert into business_defaults (business_id) values ($1::uuid) on conflict (business_id) do nothing
