-- Functions and indexes for GET /api/search, GET /api/today and the list of late shipments. The steps run outside a transaction, so none of
-- them keeps writers waiting. A migration that was interrupted runs all of them again.

-- @step
-- True of a shipment that has not arrived by its estimated delivery. A default date, which nobody set or announced, lasts until
-- the end of its day (UTC), as in on_time.
create or replace function is_late(s shipments) returns boolean language sql stable as $$
  select s.status not in ('delivered', 'returned', 'cancelled') and s.estimated_delivery < now()
         and (s.estimated_delivery < date_trunc('day', now(), 'UTC')
              or s.estimated_delivery is distinct from due_date(s.collection_date, s.created_at, s.service_level)) $$;

-- @step
drop index concurrently if exists @schema@.shipments_expected;

-- @step
create index concurrently shipments_expected on shipments (business_id, estimated_delivery)
  where deleted_at is null and status not in ('delivered', 'returned', 'cancelled');

-- @step
drop index concurrently if exists @schema@.shipments_by_lower_reference;

-- @step
create index concurrently shipments_by_lower_reference on shipments (business_id, lower(external_reference))
  where deleted_at is null and external_reference is not null;

-- @step
drop index concurrently if exists @schema@.product_skus_by_lower;

-- @step
create index concurrently product_skus_by_lower on product_skus (business_id, lower(sku));
