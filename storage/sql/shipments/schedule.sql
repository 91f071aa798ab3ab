-- Sets a shipment's collection date, delivery date, and the carrier's number and address, if given. A null delivery date is
-- calculated again. An address that equals the one made from the carrier's pattern is not stored. Returns the status of the
-- shipment and of its label, and whether it refuses the change, because number and address of a final shipment stay, and
-- those of a shipment whose label is bought or being bought. No row if the shipment does not exist.
-- $1 business uuid, $2 shipment uuid, $3 set_collection_date boolean, $4 collection_date timestamptz or null,
-- $5 set_delivery_date boolean, $6 delivery_date timestamptz or null,
-- $7 set_carrier_number boolean, $8 carrier_number text or null, $9 set_carrier_url boolean,
-- $10 carrier_url text or null
-- -> status text, label_status text or null, is_refused boolean
with held as (
  select r.guid, r.status, r.label_status, r.carrier_tracking_number as old_number, r.carrier_tracking_url as old_url,
         case when $3 then $4 else r.collection_date end as collected,
         case when $5 then $6 else r.estimated_delivery end as delivered,
         case when $7 then $8 else r.carrier_tracking_number end as number,
         case when $9 then nullif($10, (select tracking_url(k.tracking_url_pattern, r.carrier_tracking_number)
                                        from carriers k
                                        where k.business_id in (r.business_id, catalogue_business())
                                          and k.guid = r.carrier_id))
              else r.carrier_tracking_url end as url
  from shipments r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null for update
), verdict as (
  select h.*, (h.status in ('delivered', 'returned', 'cancelled')
               or coalesce(h.label_status in ('buying', 'bought', 'unknown', 'voiding'), false))
              and (h.number, h.url) is distinct from (h.old_number, h.old_url) as is_refused
  from held h
), changed as (
  update shipments r
  set collection_date = v.collected, estimated_delivery = v.delivered, carrier_tracking_number = v.number,
      carrier_tracking_url = v.url
  from verdict v
  where r.business_id = $1 and r.guid = v.guid and not v.is_refused
    and (r.collection_date, r.estimated_delivery, r.carrier_tracking_number, r.carrier_tracking_url)
        is distinct from (v.collected, v.delivered, v.number, v.url)
)
select status, label_status, is_refused from verdict
