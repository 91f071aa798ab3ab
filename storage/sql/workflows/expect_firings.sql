-- Stores how often a workflow would have fired in the last 7 days.
-- $1 business uuid, $2 workflow uuid, $3 expected_weekly bigint
insert into workflow_health (business_id, workflow_id, expected_weekly) values ($1::uuid, $2::uuid, $3::bigint)
on conflict (business_id, workflow_id) do update set expected_weekly = excluded.expected_weekly
