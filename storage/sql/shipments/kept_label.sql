-- A kept label that still shows what it should: $1 business, $2 shipment, $3 hash of that.
select pdf from shipment_labels where business_id = $1 and shipment_id = $2 and content_hash = $3
