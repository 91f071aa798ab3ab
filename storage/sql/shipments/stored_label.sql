-- Returns the stored label of a shipment if its content is current.
-- $1 business uuid, $2 shipment uuid, $3 content_hash bytea
-- -> pdf bytea
select pdf from shipment_labels where business_id = $1 and shipment_id = $2 and content_hash = $3
