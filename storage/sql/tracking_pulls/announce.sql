-- Wakes the workers: a business has an account whose scans come by themselves, or a lane is due.
select pg_notify('waybill_pulls', '')
