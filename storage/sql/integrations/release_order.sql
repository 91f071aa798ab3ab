-- Releases an order that hold_order reserved.
-- $1 business uuid, $2 integration uuid, $3 external_id text, $4 worker uuid
delete from tracking_pushes where business_id = $1 and integration_id = $2 and external_id = $3 and worker = $4
