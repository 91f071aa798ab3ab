-- The SKUs in the store of products that have others here, because other products have these here or because the store has
-- none.

alter table imported_products add column wanted_skus jsonb;  -- {"id of a variant, or empty": "SKU" or null}, or null

create index imported_products_waiting on imported_products (business_id, integration_id) where wanted_skus is not null;
