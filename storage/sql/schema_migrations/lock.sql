-- Waits for whoever migrates now; held by the session. The key is this program's own, "waybill" in ASCII.
select pg_advisory_lock(33602696198581356)
