-- Releases an order that hold_push reserved.
-- $1 business, $2 integration, $3 store's order id, $4 worker
delete from tracking_pushes where business_id = $1 and integration_id = $2 and external_id = $3 and worker = $4
