-- Returns a tracking device.
-- $1 business uuid, $2 device uuid
\ir device.inc
and k.guid = $2
