-- Returns the stored label of a shipment if its content is current.
-- $1 business, $2 shipment, $3 hash of the current content
select pdf from shipment_labels where business_id = $1 and shipment_id = $2 and content_hash = $3
