-- Changes an order's status if its current status allows it. Returns the previous status, which shows whether
-- it was changed. The lock serializes concurrent changes.
-- $1 business uuid, $2 order uuid, $3 status text, $4 allowed_from text[]
-- -> status text
with held as (
  select guid, status from orders where business_id = $1 and guid = $2 and deleted_at is null for update
), moved as (
  update orders r set status = $3 from held h
  where r.business_id = $1 and r.guid = h.guid and h.status = any($4::text[])
)
select status from held
