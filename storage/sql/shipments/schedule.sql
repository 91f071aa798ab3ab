-- Sets a shipment's collection date and delivery date, if given. A null delivery date is calculated again. No
-- row if the shipment does not exist.
-- $1 business uuid, $2 shipment uuid, $3 set_collection_date boolean, $4 collection_date timestamptz or null,
-- $5 set_delivery_date boolean, $6 delivery_date timestamptz or null
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
