-- Moves an order to a status: $1 business, $2 guid, $3 the status, $4 those it may come from. The status it had is
-- returned, and decides whether it was moved; the lock makes rivals decide one after another.
with held as (
  select guid, status from orders where business_id = $1 and guid = $2 and deleted_at is null for update
), moved as (
  update orders r set status = $3 from held h
  where r.business_id = $1 and r.guid = h.guid and h.status = any($4::text[])
)
select status from held
