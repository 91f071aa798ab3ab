-- Deletes all given orders, or none. Returns whether all exist.
-- $1 business uuid, $2 orders uuid[]
-- -> all_exist boolean
with named as (
  select distinct guid from unnest($2::uuid[]) guid
), held as (
  select r.guid from orders r where r.business_id = $1 and r.guid = any($2::uuid[]) and r.deleted_at is null
  order by r.guid for update
), complete as (
  select (select count(*) from held) = (select count(*) from named) as yes
), deleted as (
  update orders r set deleted_at = now() from held h, complete c
  where r.business_id = $1 and r.guid = h.guid and c.yes
)
select yes as all_exist from complete
