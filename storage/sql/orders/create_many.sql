-- Adds orders and returns those that it added. An order is left out if another one has its number. Customers without guid
-- are found by their e-mail address or added; those with the same e-mail address are one customer. To keep two calls from
-- deadlocking, customers, numbers and orders are added in this order, customers by e-mail address and orders by number. If
-- another transaction takes the number of an order first, the order is left out, but its customer stays. An order that
-- names no carrier has the business's default; one that names no service level has the default of the business's account
-- with the carrier, else the business's. A default carrier or service level is not used if the carrier does not have the
-- service level. Items without lengths have the business's default dimensions, in the unit of its products.
-- Orders without a number get those of $3, an array from orders/draw_numbers.sql. If it is null, they are drawn here, and
-- others who draw numbers of the business wait until the transaction ends.
-- runs: shared, drawn by draw_numbers
-- $1 business uuid, $2 orders json (an array of objects with the columns of `given_entries`), $3 numbers text or null
-- -> guid uuid, order_number text
with given_entries as materialized (
  select r.*, r.ordinality as place, row_number() over (partition by r.number order by r.ordinality) as repetition
  from rows from (
          json_to_recordset($2::json) as (
            guid uuid, number text, status text, customer uuid, customer_name text, customer_email text,
            customer_phone text, items json, carrier uuid, service_level text, currency text, window_start text,
            window_end text,
\columns typed orders.merged
          )) with ordinality r
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
       lateral (select coalesce(
                         (select $3::text)::text[],
                         next_order_numbers($1, (select count(*) from entries where number is null and p.people >= 0),
                                            array(select e.number from entries e where e.number is not null))) as list) n,
       unnest(n.list) with ordinality l (number, rank)
), given as (
  select e.guid, coalesce(e.customer, p.guid) as customer, coalesce(e.number, n.number) as number, e.status, e.items,
         e.carrier, e.service_level, e.currency, e.window_start, e.window_end,
\columns values orders.merged e
  from entries e
  -- Each person and number has an entry. A full join has no plan with nested loops.
  full join people p on p.person = e.person
  full join numbers n on n.rank = e.rank
)
insert into orders (business_id, guid, customer_id, order_number, status, items, total_value, carrier_id, service_level,
                    currency, collection_start, collection_end,
\columns names orders.merged
                    , source_type)
select b.guid, g.guid, g.customer, g.number, g.status,
       case when coalesce(d.length, d.width, d.height) is null then g.items else (
         select json_agg(case when coalesce(i.given ->> 'length', i.given ->> 'width', i.given ->> 'height') is not null
                              then i.item
                              else (i.item::jsonb || jsonb_build_object(
                                      'dimensions', m.lengths || jsonb_build_object('weight', i.given -> 'weight')))::json
                              end order by i.place)
         from (select e.item, e.item -> 'dimensions' as given, e.place
               from json_array_elements(g.items) with ordinality e (item, place)) i
         cross join (select jsonb_build_object(
                              'length', in_unit(coalesce(d.length, 30), coalesce(d.unit, 'cm'), u.unit),
                              'width', in_unit(coalesce(d.width, 20), coalesce(d.unit, 'cm'), u.unit),
                              'height', in_unit(coalesce(d.height, 10), coalesce(d.unit, 'cm'), u.unit)) as lengths
                     from (select coalesce((select s.default_unit from product_settings s where s.business_id = b.guid),
                                           'cm') as unit) u) m) end,
       -- items_value would be planned anew by each statement.
       (select coalesce(round(sum((i ->> 'quantity')::numeric * coalesce((i ->> 'price')::numeric, 0)), 2), 0)
        from json_array_elements(g.items) i),
       coalesce(g.carrier, case when g.service_level is null or k.levels ? g.service_level then k.guid end),
       coalesce(g.service_level,
                (select f.default_service_level from carrier_configurations f
                 where f.business_id = $1 and f.carrier_id = k.guid and k.levels ? f.default_service_level),
                case when k.guid is null or k.levels ? d.service_level then d.service_level end),
       coalesce(g.currency, b.currency), g.window_start, g.window_end,
\columns values orders.merged g
       , 'api'
from given g
join businesses b on b.guid = $1
left join business_defaults d on d.business_id = $1
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in ($1, catalogue_business()) and c.guid = coalesce(g.carrier, d.carrier_id)
    and c.deleted_at is null
) k on true
order by g.number
on conflict (business_id, order_number, (case when integration_id is null then business_id else guid end))
  where deleted_at is null do nothing
returning guid, order_number
