-- When a shipment is collected and delivered: $1 business, $2 guid, $3 whether a collection date is given and $4 that,
-- $5 whether a delivery date is given and $6 that, null to have it computed again. No row: no such shipment.
with held as (
  select guid, case when $3 then $4 else collection_date end as collected,
         case when $5 then $6 else estimated_delivery end as delivered
  from shipments where business_id = $1 and guid = $2 and deleted_at is null for update
), changed as (
  update shipments r set collection_date = h.collected, estimated_delivery = h.delivered from held h
  where r.business_id = $1 and r.guid = h.guid
    and (r.collection_date, r.estimated_delivery) is distinct from (h.collected, h.delivered)
)
select guid from held
