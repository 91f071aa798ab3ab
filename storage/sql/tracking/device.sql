-- Returns a tracking device.
-- $1 business, $2 device
\ir device.inc
and k.guid = $2
