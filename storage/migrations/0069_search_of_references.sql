-- $search covers the external references of orders, customers and products. They are no part of search_text, whose indexes
-- would have to be built anew.
--
-- The steps run outside a transaction, so none of them keeps writers waiting. A migration that was interrupted runs all of
-- them again.

-- @step
create or replace function reference_text(o orders) returns text language sql immutable as $$
  select lower(o.external_reference) $$;
create or replace function reference_text(c customers) returns text language sql immutable as $$
  select lower(c.external_reference) $$;
create or replace function reference_text(p products) returns text language sql immutable as $$
  select lower(p.external_reference) $$;

-- @step
drop index concurrently if exists @schema@.orders_by_reference_text;

-- @step
create index concurrently orders_by_reference_text on orders using gin (business_id, lower(external_reference) gin_trgm_ops)
  with (gin_pending_list_limit = 8192) where deleted_at is null and lower(external_reference) is not null;

-- @step
drop index concurrently if exists @schema@.customers_by_reference_text;

-- @step
create index concurrently customers_by_reference_text on customers using gin (business_id, lower(external_reference) gin_trgm_ops)
  with (gin_pending_list_limit = 8192) where deleted_at is null and lower(external_reference) is not null;

-- @step
drop index concurrently if exists @schema@.products_by_reference_text;

-- @step
create index concurrently products_by_reference_text on products using gin (business_id, lower(external_reference) gin_trgm_ops)
  with (gin_pending_list_limit = 8192) where deleted_at is null and lower(external_reference) is not null;
