-- The users' own data of records: a reference to another system, tags and metadata. Null stands for none: a column of a
-- record table has no default (0008_events.sql). The indexes hold only records that have such data, so others cost
-- their writers nothing.

-- Tags for comparison: they are unique, and found, without regard to case. `lower_tags(tags) @> array[lower(tag)]` is exact
-- in a GIN index of arrays, so a count reads no rows, as the containment of jsonb would. PostgreSQL has statistics of an
-- expression in a partial index only from `create statistics`; without them a list by time reads all rows for a rare tag.
create function lower_tags(tags jsonb) returns text[] language sql immutable strict
return array(select lower(tag) from jsonb_array_elements_text(tags) tag);

-- Changes of columns by name, with the metadata among them merged by key into the stored `metadata`. Null removes a key.
create function merged_changes(metadata jsonb, changes jsonb) returns jsonb language sql immutable
return case when jsonb_typeof(changes -> 'metadata') = 'object'
            then changes || jsonb_build_object('metadata', nullif(jsonb_strip_nulls(coalesce(metadata, '{}')
                                                                                    || (changes -> 'metadata')), '{}'))
            else changes end;

-- The number of keys of metadata. A record has at most 50 (api/records/own_data.hpp).
create function metadata_keys(metadata jsonb) returns bigint language sql immutable
return (select count(*) from jsonb_object_keys(metadata));

alter table orders
  add external_reference text,
  add tags jsonb check (jsonb_typeof(tags) = 'array'),
  add metadata jsonb check (jsonb_typeof(metadata) = 'object');
create index orders_by_reference on orders (business_id, external_reference, created_at, guid)
  where deleted_at is null and external_reference is not null;
create index orders_by_tag on orders using gin (business_id, lower_tags(tags))
  where deleted_at is null and tags is not null;
create statistics orders_tags on (lower_tags(tags)) from orders;
create index orders_by_metadata on orders using gin (business_id, metadata jsonb_path_ops)
  where deleted_at is null and metadata is not null;

alter table shipments
  add external_reference text,
  add tags jsonb check (jsonb_typeof(tags) = 'array'),
  add metadata jsonb check (jsonb_typeof(metadata) = 'object');
create index shipments_by_reference on shipments (business_id, external_reference, created_at, guid)
  where deleted_at is null and external_reference is not null;
create index shipments_by_tag on shipments using gin (business_id, lower_tags(tags))
  where deleted_at is null and tags is not null;
create statistics shipments_tags on (lower_tags(tags)) from shipments;

alter table customers
  add external_reference text,
  add tags jsonb check (jsonb_typeof(tags) = 'array'),
  add metadata jsonb check (jsonb_typeof(metadata) = 'object');
create index customers_by_reference on customers (business_id, external_reference, created_at, guid)
  where deleted_at is null and external_reference is not null;
create index customers_by_tag on customers using gin (business_id, lower_tags(tags))
  where deleted_at is null and tags is not null;
create statistics customers_tags on (lower_tags(tags)) from customers;
create index customers_by_metadata on customers using gin (business_id, metadata jsonb_path_ops)
  where deleted_at is null and metadata is not null;

alter table products
  add external_reference text,
  add tags jsonb check (jsonb_typeof(tags) = 'array'),
  add metadata jsonb check (jsonb_typeof(metadata) = 'object');
create index products_by_reference on products (business_id, external_reference, created_at, guid)
  where deleted_at is null and external_reference is not null;
create index products_by_tag on products using gin (business_id, lower_tags(tags))
  where deleted_at is null and tags is not null;
create statistics products_tags on (lower_tags(tags)) from products;
create index products_by_metadata on products using gin (business_id, metadata jsonb_path_ops)
  where deleted_at is null and metadata is not null;

-- Columns of uploaded files of customers; null in parts that an earlier version stored.
alter table customer_upload_parts
  add external_references text[],
  add tags jsonb[];
