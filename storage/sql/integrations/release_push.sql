-- Gives back what hold_push took.
delete from tracking_pushes where business_id = $1 and integration_id = $2 and external_id = $3 and worker = $4
