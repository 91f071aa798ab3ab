-- The time at which a store was last asked for a product because another product of it has a SKU that this one has here.

alter table imported_products add column asked_at timestamptz;
