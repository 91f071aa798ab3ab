-- Whether this session may do the duty $1 now; no other worker does it meanwhile.
select pg_try_advisory_lock(hashtextextended('waybill.duty.' || $1, 0))
