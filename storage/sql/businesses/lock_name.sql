-- Locks a business name until the transaction ends, so that only one transaction looks for the business and
-- creates it.
-- $1 name text
select pg_advisory_xact_lock(hashtextextended('waybill:business:' || $1::text, 0))
