-- One at a time looks for the business of a name and makes it.
select pg_advisory_xact_lock(hashtextextended('waybill:business:' || $1::text, 0))
