-- Returns the purchases that have a carrier's number, as it is or in capital letters, the newest first: also as the number of a
-- further parcel, and voided ones.
-- $1 business uuid, $2 number text
-- -> shipment_id uuid, purchase_id uuid, status text
select p.shipment_id, p.guid as purchase_id, p.status from purchases p
where p.business_id = $1::uuid and p.tracking_numbers && array[$2::text, upper($2::text)]
order by p.bought_at desc nulls last limit 10
