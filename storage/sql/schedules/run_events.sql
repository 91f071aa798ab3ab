-- Returns ids for runs without an event, and wakes the workers.
-- $1 count bigint
-- -> id bigint, ...
select nextval('eventless_ids') as id, case when n = 1 then pg_notify('waybill_queue', '') end
from generate_series(1, $1::bigint) n
