-- Stores orders that could not be imported. Each is fetched again after 1, 4, 16, 64 and 256 minutes, then
-- daily. An order that arrives with a page before it is due does not count as an attempt.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[], $4 order_numbers text[] (with nulls),
-- $5 reasons text[], $6 run uuid
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
