-- Products of a store that cannot be read are read again later than its orders.
alter table integrations add column products_failures integer not null default 0;  -- in a row
alter table integrations add column products_due_at timestamptz;  -- null: with the next import
