-- Returns the number of the last purchase of a shipment, zero if there is none.
-- $1 business uuid, $2 shipment uuid
-- -> attempt int
select coalesce(max(attempt), 0) as attempt from purchases
where business_id = $1::uuid and shipment_id = $2::uuid and stray_of is null
