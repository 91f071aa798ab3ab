-- Releases an integration after an import and finishes the run. The integration is due again after a delay,
-- or at once if a run was requested since it began. A continued run stays unfinished, and so does the run of a
-- lost lease. The previous run is deleted if it had no effect and was not requested. If the
-- store failed or an order could not be imported, the failure is counted for the alerts of the business.
-- $1 business uuid, $2 integration uuid, $3 worker uuid, $4 run uuid,
-- $5 due_at timestamptz (when it was claimed), $6 delay interval, $7 failures int,
-- $8 orders_swept_at timestamptz or null (start of a complete import),
-- $9 products_swept_at timestamptz or null (start of a complete import), $10 errors jsonb (JSON array),
-- $11 continues boolean, $12 products_failures int, $13 products_delay interval or null (if only products failed)
with freed as (
  update integrations
  set lease_owner = null, lease_until = null, failures = $7,
      due_at = case when due_at is distinct from $5::timestamptz or requested_run is not null then due_at
                    else now() + $6::interval end,
      orders_swept_at = coalesce($8::timestamptz, orders_swept_at),
      products_swept_at = coalesce($9::timestamptz, products_swept_at), products_failures = $12,
      products_due_at = case when $12 > 0 then coalesce(now() + $13::interval, products_due_at) end,
      sweeping_since = case when $7 > 0 then null when $8::timestamptz is null then sweeping_since
                            when swept_at > now() - interval '1 hour' - 2 * $6::interval then coalesce(sweeping_since, now())
                            else now() end,
      swept_at = case when $7 = 0 and $8::timestamptz is not null then now() else swept_at end
  where business_id = $1 and guid = $2 and lease_owner = $3
  returning guid, failures
), finished as (
  update integration_runs
  set finished_at = clock_timestamp(), errors = jsonb_path_query_array(errors || $10::jsonb, '$[0 to 99]')
  where business_id = $1 and guid = $4 and finished_at is null and not $11
    and (exists (select from freed)
         or not exists (select from integrations i where i.business_id = $1 and i.guid = $2 and i.status = 'active'
                        and i.removed_at is null))
  returning guid, failed
), before as (
  select r.guid from integration_runs r
  where r.business_id = $1 and r.integration_id = $2 and r.guid < (select f.guid from finished f)
  order by r.guid desc limit 1
), deleted as (
  delete from integration_runs r
  where r.business_id = $1 and r.guid = (select b.guid from before b) and r.finished_at is not null and not r.requested
    and r.imported = 0 and r.updated = 0 and r.failed = 0 and r.errors = '[]'
)
select count_failures($1, 'import_failed', $2, f.guid, null, null, 1)
from finished f, freed d where f.failed > 0 or d.failures > 0 or $13::interval is not null
