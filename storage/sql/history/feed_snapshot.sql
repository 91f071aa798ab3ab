-- Returns the transaction's snapshot (xmin:xmax:running,…), and a transaction id drawn after it. Running
-- transactions can have ids between xmax and that id. Also returns whether an event with this id and time
-- is stored; true without a time.
-- $1 business uuid, $2 event bigint, $3 at timestamptz or null
-- -> snapshot text, drawn text, is_stored boolean
select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as drawn,
       $3::timestamptz is null
       or exists (select from events e where e.business_id = $1::uuid and e.id = $2::bigint and e.at = $3::timestamptz) as is_stored
