-- Keeps that the workflow $2 of business $1 would have fired $3 times in the last 7 days.
insert into workflow_health (business_id, workflow_id, expected_weekly) values ($1::uuid, $2::uuid, $3::bigint)
on conflict (business_id, workflow_id) do update set expected_weekly = excluded.expected_weekly
