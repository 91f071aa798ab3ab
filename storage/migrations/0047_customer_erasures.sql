-- Erasures of persons that are not complete, with the texts for which they search, in lower case. A repeated request goes on with
-- them. The row goes with the last of the person's data.
create table customer_erasures (
  business_id   uuid not null,
  customer_id   uuid not null,
  names         text[] not null,
  emails        text[] not null,
  words         text[] not null,  -- of the customer
  record_words  text[] not null,  -- of its orders and shipments
  begun_at      timestamptz not null default now(),
  primary key (business_id, customer_id),
  foreign key (business_id, customer_id) references customers on delete cascade
);
