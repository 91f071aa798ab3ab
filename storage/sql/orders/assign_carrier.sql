-- Sets the carrier of all given orders, or of none. A null service level keeps an order's present one if the
-- carrier offers it. Returns whether all orders exist, the codes of the carrier's service levels (null if the
-- carrier does not exist), whether the service level is one of them, and the status of an order that can no
-- longer be changed. The orders change only if everything is valid.
-- $1 business uuid, $2 orders uuid[], $3 carrier uuid, $4 service_level text or null
-- -> all_exist boolean, levels jsonb or null, offers_level boolean or null, locked text or null
with carrier as (
  select k.guid, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') as levels from carriers k
  where k.business_id in ($1, catalogue_business()) and k.guid = $3
    and k.deleted_at is null
), named as (
  select distinct guid from unnest($2::uuid[]) guid
), held as (
  select r.guid, r.service_level, r.status from orders r
  where r.business_id = $1 and r.guid = any($2::uuid[]) and r.deleted_at is null
  order by r.guid for update
), complete as (
  select (select count(*) from held) = (select count(*) from named) as yes
), locked as (
  select min(h.status) as status from held h where h.status in ('shipped', 'delivered')
), wanted as (
  select h.guid, k.guid as carrier_id,
         coalesce($4, case when k.levels ? h.service_level then h.service_level end) as service_level
  from held h, carrier k, complete c, locked l
  where c.yes and l.status is null and ($4::text is null or k.levels ? $4)
), assigned as (
  update orders r set carrier_id = w.carrier_id, service_level = w.service_level from wanted w
  where r.business_id = $1 and r.guid = w.guid
    and (r.carrier_id, r.service_level) is distinct from (w.carrier_id, w.service_level)
)
select c.yes as all_exist, k.levels, k.levels ? $4 as offers_level, l.status as locked
from complete c cross join locked l left join carrier k on true
