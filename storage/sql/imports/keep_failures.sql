-- Orders that could not be imported: $1 business, $2 integration, $3 ids in the store, $4 their numbers, $5 why, $6 the
-- run. Each is fetched again after 1 minute, then 4, 16, 64, 256 and each day; that it came by itself meanwhile is not a try.
insert into import_failures (business_id, integration_id, external_id, order_number, reason, run_id, due_at)
select $1, $2, n.external_id, n.order_number, n.reason, $6, now() + interval '1 minute'
from unnest($3::text[], $4::text[], $5::text[]) n (external_id, order_number, reason)
on conflict (business_id, integration_id, external_id) do update
set order_number = coalesce(excluded.order_number, import_failures.order_number), reason = excluded.reason,
    run_id = excluded.run_id,
    tries = import_failures.tries + case when import_failures.due_at <= now() then 1 else 0 end,
    due_at = case when import_failures.due_at <= now()
                  then now() + least(interval '1 minute' * power(4, least(import_failures.tries, 6)), interval '1 day')
                  else import_failures.due_at end
