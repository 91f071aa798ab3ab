-- Stops the jobs of a business whose call or file can hold the data of a person.
-- $1 business uuid
update jobs set stop = 'ERASED', due_at = now()
where business_id = $1::uuid and status = 'running' and stop is null and kind in ('upload', 'export', 'backtest')
