-- The variants of a product that came from a store, by the store's ids.
alter table imported_products add column variants jsonb;  -- {"id": "guid"}; null in rows of earlier releases
