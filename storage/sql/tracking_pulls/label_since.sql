-- Returns since when a label with a number may have been bought for a shipment: the request of its purchase, or the creation of
-- the shipment if the label was bought before that request, and adopted. No row for a number that no gateway has confirmed.
-- $1 business uuid, $2 shipment uuid, $3 number text
-- -> since timestamptz
select case when o.buy_begun_at is not null then o.requested_at else least(r.created_at, o.requested_at) end as since
from purchases o join shipments r on r.business_id = o.business_id and r.guid = o.shipment_id
where o.business_id = $1::uuid and o.shipment_id = $2::uuid and o.stray_of is null and o.status in ('bought', 'voiding')
  and o.resolution is null and $3::text = any (o.tracking_numbers)
