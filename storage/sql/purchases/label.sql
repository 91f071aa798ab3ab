-- Returns the label of a purchase.
-- $1 business uuid, $2 purchase uuid
-- -> format text, bytes bytea
select format, bytes from purchase_labels where business_id = $1::uuid and purchase_id = $2::uuid
