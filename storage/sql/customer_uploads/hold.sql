-- Uploads of a business are confirmed one after another, so that two with the same customers never wait for each other:
-- $1 business.
select pg_advisory_xact_lock(hashtextextended('waybill.customer_uploads.' || $1::text, 0))
