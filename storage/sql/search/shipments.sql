-- Returns the shipments that a search finds, as search/orders.sql does: by guid, waybill's number, a number of the carrier or
-- reference as a whole, or by the recipient's name.
-- runs: long
-- $1 business uuid, $2 text text, $3 guid uuid or null
-- -> whole boolean, created_at timestamptz, ...
with t as materialized (
\ir terms.inc
), numbered as materialized (
  select s.guid from shipments s where s.business_id = $1::uuid and s.guid = $3::uuid and s.deleted_at is null
  union all
  (select s.guid from shipments s
   where s.business_id = $1::uuid and lower(s.tracking_number) = (select number from t) and s.deleted_at is null limit 100)
  union all
  (select s.guid from shipments s
   where s.business_id = $1::uuid and lower(s.carrier_tracking_number) = (select number from t)
     and s.carrier_tracking_number is not null and s.deleted_at is null limit 100)
  union all
  (select p.shipment_id from purchases p
   where p.business_id = $1::uuid and p.status in ('bought', 'voiding')
     and p.tracking_numbers && array[(select number from t), (select upper(number) from t)] limit 100)
  union all
  (select s.guid from shipments s
   where s.business_id = $1::uuid and lower(s.external_reference) = (select whole from t)
     and s.external_reference is not null and s.deleted_at is null limit 100)
), newest_whole as materialized (
  select n.guid from (
    select r.guid, m.whole from shipments r cross join t
\ir matched_shipment.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.whole limit 100
), newest_named as materialized (
  select n.guid from (
    select r.guid, m.named from shipments r cross join t
\ir matched_shipment.inc
    where r.business_id = $1::uuid and r.deleted_at is null
    order by r.created_at desc, r.guid desc limit 1000) n where n.named limit 20
), newest as materialized (
  select found_text(r) like all (t.parts) as in_text
  from shipments r cross join t
  where r.business_id = $1::uuid and r.deleted_at is null and (select count(*) < 20 from newest_named)
  order by r.created_at desc, r.guid desc limit 1000
), walk as materialized (
  select count(*) = 1000 and count(*) filter (where in_text) <= 50 as seeks_name
  from newest
), candidates as (
  select guid, true as is_numbered from numbered
  union
  select guid, false from newest_whole
  union
  select guid, false from newest_named
  union
  (select r.guid, false from shipments r
   where r.business_id = $1::uuid/*indexed*/ and r.deleted_at is null and (select seeks_name from walk)
     and found_text(r) like (select first from t) and found_text(r) like (select second from t)
     and found_text(r) like (select third from t) and found_text(r) like (select fourth from t) limit 100)
), found as (
  select guid, bool_or(is_numbered) as is_numbered from candidates group by guid
)
select m.whole or c.is_numbered as whole, r.created_at, 'shipment'::text as type, r.guid, r.tracking_number as title,
       nullif(concat_ws(', ', nullif(r.recipient_name, ''), nullif(r.recipient_city, '')), '') as subtitle, r.status
from t cross join found c cross join lateral (
  select s.* from shipments s where s.business_id = $1::uuid and s.guid = c.guid and s.deleted_at is null limit 1) r
\ir matched_shipment.inc
where m.whole or m.named or c.is_numbered
order by m.whole or c.is_numbered desc, r.created_at desc, r.guid desc limit 20
