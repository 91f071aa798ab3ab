-- Returns the time of the first scan that told that a parcel comes back to its sender. No row if there was none.
-- $1 business uuid, $2 shipment uuid, $3 number text
-- -> since timestamptz
select t.since from tracking_returns t
where t.business_id = $1::uuid and t.shipment_id = $2::uuid and t.number = $3::text
