-- The time at which a store was connected first, from which the default of import_since counts. Null: connected before this
-- migration and not again since, so connected_at is the time.
alter table integrations add first_connected_at timestamptz(3);
alter table integrations alter first_connected_at set default now();
