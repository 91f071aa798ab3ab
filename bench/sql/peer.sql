-- The tables of the peers' writes: a copy of the orders of business :business without triggers, with the indexes that the
-- peers' requests need, and an outbox. As in data.sql, autovacuum does not begin within a measurement.
drop schema if exists peer cascade;
create schema peer;
create table peer.orders as
select business_id, guid, order_number, status, customer_id, items::json as items, delivery_street, delivery_city,
       delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level, total_value, currency,
       collection_date, notes, created_at, updated_at, deleted_at
from orders where business_id = :'business';
alter table peer.orders set (autovacuum_enabled = off), add primary key (business_id, guid),
  alter column order_number set not null, alter column status set not null, alter column items set not null,
  alter column total_value set not null, alter column currency set not null, alter column created_at set not null,
  alter column updated_at set not null;
create unique index on peer.orders (business_id, order_number);
create index on peer.orders (business_id, created_at, guid) where deleted_at is null;
create index on peer.orders (business_id, status, created_at, guid) where deleted_at is null;
create index on peer.orders (business_id, customer_id, created_at, guid) where deleted_at is null;
create sequence peer.order_numbers start 10000000;
create table peer.outbox (
  id           bigint generated always as identity primary key,
  business_id  uuid not null,
  entity_id    uuid not null,
  type         text not null,
  payload      json not null,
  at           timestamptz not null default now(),
  processed_at timestamptz
);
create index on peer.outbox (id) where processed_at is null;
vacuum analyze peer.orders;
