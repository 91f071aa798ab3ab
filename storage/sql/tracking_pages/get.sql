-- Returns what the public page of a shipment shows, with the newest fifty traces, newest first, and the number of
-- older ones. A clock is a time in the business's zone as if it were UTC. No row if no shipment has the token
-- or its business is suspended.
-- runs: merged by get_merged
-- $1 token uuid
-- -> tracking_number text, status text, carrier text or null, carrier_tracking_number text or null,
-- carrier_tracking_url text or null, estimated_delivery timestamptz or null, estimated_clock timestamptz or null,
-- delivered_at timestamptz or null, delivered_clock timestamptz or null, created_at timestamptz,
-- created_clock timestamptz, city text or null, country text or null, business text, logo_url text or null,
-- color text or null, time_zone text, traces json or null, older_traces bigint, recipient_street text or null,
-- recipient_phone text or null, recipient_email text or null (these three are for hiding them in traces)
select
\ir answer.inc
from tracking_tokens n
\ir tables.inc
where n.token = $1
