-- Sets the date of delivery that a carrier announces for its number of a shipment, unless a request has set another one, or the
-- shipment is final. The number of a further parcel, and a date that the shipment has already, change nothing.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 announced timestamptz
update shipments r
set announced_delivery = a.at
from businesses b
cross join lateral (select announced_time($4::timestamptz, b.timezone)::timestamptz(3) as at) a
where b.guid = $1::uuid and r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
  and lower(r.carrier_tracking_number) = lower($3::text) and r.status not in ('delivered', 'returned', 'cancelled')
  and r.estimated_delivery = coalesce(r.announced_delivery, due_date(r.collection_date, r.created_at, r.service_level))
  and r.estimated_delivery <> a.at
