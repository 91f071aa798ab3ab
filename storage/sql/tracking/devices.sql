-- Returns a business's tracking devices, by id.
-- $1 business uuid
\ir device.inc
order by k.device_id limit 1000
