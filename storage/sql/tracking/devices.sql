-- A business's tracking devices: $1 business.
\ir device.inc
order by k.device_id limit 1000
