-- The tables of customers and orders with what Directus needs: a key of one column, and a foreign key from which it
-- derives the relation.
create table customers (
  guid  uuid primary key,
  name  text not null,
  email text
);
create table orders (
  guid                  uuid primary key,
  business_id           uuid not null,
  order_number          text not null,
  status                text not null,
  customer_id           uuid references customers,
  items                 json not null,
  delivery_street       text,
  delivery_city         text,
  delivery_state        text,
  delivery_postal_code  text,
  delivery_country      text,
  carrier_id            uuid,
  service_level         text,
  total_value           numeric(14, 2) not null,
  currency              text not null,
  collection_date       timestamptz,
  notes                 text,
  created_at            timestamptz not null,
  updated_at            timestamptz not null
);
