-- Adds orders and returns those that it added. An order is left out if another one has its number. Customers without guid
-- are found or added as in create.sql; those with the same e-mail address are one customer. To keep two calls from
-- deadlocking, customers, numbers and orders are added in this order, customers by e-mail address and orders by number.
-- If another transaction takes the number of an order meanwhile, the order is left out, but its customer stays.
-- $1 business uuid, $2 orders json (an array of objects with the parameters of create.sql by name)
-- -> guid uuid, order_number text
with given_entries as materialized (
  select r.*, r.ordinality as place, row_number() over (partition by r.number order by r.ordinality) as repetition
  from rows from (
          json_to_recordset($2::json) as (
            guid uuid, number text, status text, customer uuid, customer_name text, customer_email text,
            customer_phone text, items json, street text, city text, state text, postal_code text, country text,
            carrier uuid, service_level text, currency text, collection_date timestamptz, window_start text,
            window_end text, notes text, delivery_name text, delivery_company text, delivery_phone text,
            delivery_email text, shipping_method text, shipping_cost numeric, external_reference text, tags jsonb,
            metadata jsonb)) with ordinality r
), entries as materialized (
  select e.*, coalesce('e' || lower(e.customer_email), 'p' || e.place) as person,
         case when e.number is null then row_number() over (partition by e.number is null order by e.place) end as rank
  from given_entries e
  where e.number is null
     or (e.repetition = 1
         -- `not exists` could be planned as a hash table of all numbers of the business.
         and (select o.guid from orders o where o.business_id = $1 and o.order_number = e.number
              and o.deleted_at is null and o.integration_id is null limit 1) is null)
), people as materialized (
  select p.person, find_or_add_customer($1, p.customer_name, p.customer_email, p.customer_phone) as guid
  from (select distinct on (n.person) n.* from entries n where n.customer is null order by n.person, n.place) p
), numbers as materialized (  -- reads people, so that these are added first
  select l.number, l.rank
  from (select count(*) as people from people) p,
       lateral (select next_order_numbers($1, (select count(*) from entries where number is null and p.people >= 0),
                                          array(select e.number from entries e where e.number is not null)) as list) n,
       unnest(n.list) with ordinality l (number, rank)
), given as (
  select e.guid, coalesce(e.customer, p.guid) as customer, coalesce(e.number, n.number) as number, e.status, e.items,
         e.street, e.city, e.state, e.postal_code, e.country, e.carrier, e.service_level, e.currency, e.collection_date,
         e.window_start, e.window_end, e.notes, e.delivery_name, e.delivery_company, e.delivery_phone, e.delivery_email,
         e.shipping_method, e.shipping_cost, e.external_reference, e.tags, e.metadata
  from entries e
  -- Each person and number has an entry. A full join has no plan with nested loops.
  full join people p on p.person = e.person
  full join numbers n on n.rank = e.rank
)
\ir insert.inc
order by g.number
on conflict (business_id, order_number, (case when integration_id is null then business_id else guid end))
  where deleted_at is null do nothing
returning guid, order_number
