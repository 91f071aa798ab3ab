-- Returns the products that a search finds, as search/orders.sql does: by guid, SKU (also of a variant) or reference as a
-- whole, or by name, of which the whole counts as such.
-- runs: long
-- $1 business uuid, $2 text text, $3 guid uuid or null
-- -> whole boolean, created_at timestamptz, ...
with t as materialized (
\ir terms.inc
), spelled as materialized (
  select p.guid from products p where p.business_id = $1::uuid and p.guid = $3::uuid and p.deleted_at is null
  union all
  (select k.product_id from product_skus k where k.business_id = $1::uuid and lower(k.sku) = (select whole from t) limit 100)
  union all
  select f.guid from t cross join unnest(t.spellings) s (spelling) cross join lateral (
    select p.guid from products p
    where p.business_id = $1::uuid and p.external_reference = s.spelling and p.deleted_at is null
    order by p.created_at desc, p.guid desc limit 100) f
), newest_whole as materialized (
  select n.guid from (
    select r.guid, m.whole from products r cross join t
\ir matched_product.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.whole limit 100
), newest_named as materialized (
  select n.guid from (
    select r.guid, m.named from products r cross join t
\ir matched_product.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.named limit 20
), newest as materialized (
  select search_text(r) like all (t.parts) as in_text,
         lower(r.external_reference) like all (t.parts) as in_reference
  from products r cross join t
  where r.business_id = $1::uuid and r.deleted_at is null and (select count(*) < 20 from newest_named)
  order by r.created_at desc, r.guid desc limit 1000
), walk as materialized (
  select count(*) = 1000 and count(*) filter (where in_text) <= 50 as seeks_name,
         count(*) = 1000 and not (select exists (select from spelled))
           and count(*) filter (where in_reference) <= 50 as seeks_reference
  from newest
), candidates as (
  select guid, true as is_spelled from spelled
  union
  select guid, false from newest_whole
  union
  select guid, false from newest_named
  union
  (select r.guid, false from products r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_name from walk)
     and search_text(r) like (select first from t) and search_text(r) like (select second from t)
     and search_text(r) like (select third from t) and search_text(r) like (select fourth from t) limit 100)
  union
  (select r.guid, false from products r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_reference from walk)
     and reference_text(r) like (select first from t) and reference_text(r) like (select second from t)
     and reference_text(r) like (select third from t) and reference_text(r) like (select fourth from t) limit 100)
), found as (
  select guid, bool_or(is_spelled) as is_spelled from candidates group by guid
)
select m.whole or c.is_spelled as whole, r.created_at, 'product'::text as type, r.guid, r.name as title, r.sku as subtitle,
       null::text as status
from t cross join found c cross join lateral (
  select p.* from products p where p.business_id = $1::uuid and p.guid = c.guid and p.deleted_at is null limit 1) r
\ir matched_product.inc
where m.whole or m.named or c.is_spelled
order by m.whole or c.is_spelled desc, r.created_at desc, r.guid desc limit 20
