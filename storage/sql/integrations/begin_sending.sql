-- Stores the number and link under which a shipment is sent next, before the store is called. Returns those of earlier
-- calls.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 url text
-- -> number text, url text
with earlier as (
  select p.tracking_number, p.tracking_url from pushed_tracking p where p.business_id = $1 and p.shipment_id = $2
), added as (
  insert into pushed_tracking (business_id, shipment_id, tracking_number, tracking_url) values ($1, $2, $3, $4)
  on conflict do nothing
)
select tracking_number as number, tracking_url as url from earlier
