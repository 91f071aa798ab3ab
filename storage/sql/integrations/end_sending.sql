-- Stores the new link of a number that was sent.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 url text
update pushed_tracking set tracking_url = $4 where business_id = $1 and shipment_id = $2 and tracking_number = $3
