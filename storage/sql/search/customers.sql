-- Returns the customers that a search finds, as search/orders.sql does: by guid, e-mail address or reference as a whole, or by
-- name, of which the whole counts as such.
-- runs: long
-- $1 business uuid, $2 text text, $3 guid uuid or null
-- -> whole boolean, created_at timestamptz, ...
with t as materialized (
\ir terms.inc
), spelled as materialized (
  select c.guid from customers c where c.business_id = $1::uuid and c.guid = $3::uuid and c.deleted_at is null
  union all
  (select c.guid from customers c
   where c.business_id = $1::uuid and lower(c.email) = (select whole from t) and c.deleted_at is null limit 100)
  union all
  select f.guid from t cross join unnest(t.spellings) s (spelling) cross join lateral (
    select c.guid from customers c
    where c.business_id = $1::uuid and c.external_reference = s.spelling and c.deleted_at is null
    order by c.created_at desc, c.guid desc limit 100) f
), newest_whole as materialized (
  select n.guid from (
    select r.guid, m.whole from customers r cross join t
\ir matched_customer.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.whole limit 100
), newest_named as materialized (
  select n.guid from (
    select r.guid, m.named from customers r cross join t
\ir matched_customer.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.named limit 20
), newest as materialized (
  select search_text(r) like all (t.parts) as in_text,
         lower(r.external_reference) like all (t.parts) as in_reference
  from customers r cross join t
  where r.business_id = $1::uuid and r.deleted_at is null and (select count(*) < 20 from newest_named)
  order by r.created_at desc, r.guid desc limit 1000
), walk as materialized (
  select count(*) = 1000 and count(*) filter (where in_text) <= 50 as seeks_name,
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
  (select r.guid from customers r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_name from walk)
     and search_text(r) like (select first from t) and search_text(r) like (select second from t)
     and search_text(r) like (select third from t) and search_text(r) like (select fourth from t) limit 100)
  union
  (select r.guid from customers r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_reference from walk)
     and reference_text(r) like (select first from t) and reference_text(r) like (select second from t)
     and reference_text(r) like (select third from t) and reference_text(r) like (select fourth from t) limit 100)
)
select m.whole, r.created_at, 'customer'::text as type, r.guid, r.name as title,
       coalesce(r.email, r.company, r.phone) as subtitle, null::text as status
from t cross join candidates c cross join lateral (
  select u.* from customers u where u.business_id = $1::uuid and u.guid = c.guid and u.deleted_at is null limit 1) r
\ir matched_customer.inc
where m.whole or m.named
order by m.whole desc, r.created_at desc, r.guid desc limit 20
