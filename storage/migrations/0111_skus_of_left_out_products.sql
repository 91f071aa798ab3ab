-- The SKU because of which an import left a product out, so that the product is read again once the SKU is free.

alter table imported_products add column aside_sku text;  -- null if the product is not left out, or in older rows

create index imported_products_aside on imported_products (business_id, integration_id) where digest like 'aside:%';
