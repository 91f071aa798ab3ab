-- Uploads of a business are confirmed one after another, so that two with the same customers never wait for each other:
-- $1 business. False while another one is confirmed.
select pg_try_advisory_xact_lock(hashtextextended('waybill.customer_uploads.' || $1::text, 0))
