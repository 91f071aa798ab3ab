-- Returns the orders that a search finds: by guid, number, reference or the recipient's e-mail address as a whole, or by the
-- recipient's name. The newest thousand are tested one by one, so a name that most orders have needs no index, and a small
-- business none at all. An index of texts finds all orders with a word before the first is read, so it serves only words that
-- at most a twentieth of the newest orders have, and gives a hundred candidates. api/search/search.cpp replaces the conditions
-- on the business at the mark for a business that has most orders.
-- runs: long
-- $1 business uuid, $2 text text, $3 guid uuid or null
-- -> whole boolean, created_at timestamptz, ...
with t as materialized (
\ir terms.inc
), spelled as materialized (
  select o.guid from orders o where o.business_id = $1::uuid and o.guid = $3::uuid and o.deleted_at is null
  union all
  select f.guid from t cross join unnest(t.spellings) s (spelling) cross join lateral (
    select o.guid from orders o where o.business_id = $1::uuid and o.order_number = s.spelling and o.deleted_at is null limit 100) f
  union all
  select f.guid from t cross join unnest(t.spellings) s (spelling) cross join lateral (
    select o.guid from orders o
    where o.business_id = $1::uuid and o.external_reference = s.spelling and o.deleted_at is null
    order by o.created_at desc, o.guid desc limit 100) f
), newest_whole as materialized (
  select n.guid from (
    select r.guid, m.whole from orders r cross join t
\ir matched_order.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.whole limit 100
), newest_named as materialized (
  select n.guid from (
    select r.guid, m.named from orders r cross join t
\ir matched_order.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.named limit 20
), newest as materialized (
  select recipient_text(r) like all (t.parts) as of_recipient,
         case when (select not exists (select from spelled)) then search_text(r) like all (t.parts) end as in_text,
         lower(r.external_reference) like all (t.parts) as in_reference
  from orders r cross join t
  where r.business_id = $1::uuid and r.deleted_at is null and (select count(*) < 20 from newest_named)
  order by r.created_at desc, r.guid desc limit 1000
), walk as materialized (
  select count(*) = 1000 and count(*) filter (where of_recipient) <= 50 as seeks_name,
         count(*) = 1000 and not (select exists (select from spelled)) and count(*) filter (where in_text) <= 50 as seeks_number,
         count(*) = 1000 and not (select exists (select from spelled))
           and count(*) filter (where in_reference) <= 50 as seeks_reference
  from newest
), candidates as (
  select guid from spelled
  union
  select guid from newest_whole
  union
  select guid from newest_named
  union
  (select r.guid from orders r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_name from walk)
     and recipient_text(r) like (select first from t) and recipient_text(r) like (select second from t)
     and recipient_text(r) like (select third from t) and recipient_text(r) like (select fourth from t) limit 100)
  union
  (select r.guid from orders r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_number from walk)
     and search_text(r) like (select first from t) and search_text(r) like (select second from t)
     and search_text(r) like (select third from t) and search_text(r) like (select fourth from t) limit 100)
  union
  (select r.guid from orders r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_reference from walk)
     and reference_text(r) like (select first from t) and reference_text(r) like (select second from t)
     and reference_text(r) like (select third from t) and reference_text(r) like (select fourth from t) limit 100)
)
select m.whole, r.created_at, 'order'::text as type, r.guid, r.order_number as title,
       nullif(concat_ws(', ', coalesce(nullif(r.delivery_name, ''), k.name), nullif(r.delivery_city, '')), '') as subtitle, r.status
from t cross join candidates c cross join lateral (
  select o.* from orders o where o.business_id = $1::uuid and o.guid = c.guid and o.deleted_at is null limit 1) r
\ir matched_order.inc
left join customers k on k.business_id = r.business_id and k.guid = r.customer_id
where m.whole or m.named
order by m.whole desc, r.created_at desc, r.guid desc limit 20
