-- Returns the transaction's snapshot (xmin:xmax:running,…), and a transaction id drawn after it. Running
-- transactions can have ids between xmax and that id.
-- -> snapshot text, drawn text
select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as drawn
