-- Returns the texts that a step of a run was sent with before, by an earlier run of the same event and workflow.
-- $1 business uuid, $2 origin uuid, $3 replay_of uuid, $4 number int
-- -> request text, body text or null
select request, body from run_step_texts
where business_id = $1::uuid and origin = $2::uuid and at = guid_time($2::uuid) and number = $4::integer
union all
select request, body from all_runs
where business_id = $1::uuid and guid in ($2::uuid, $3::uuid) and request <> 'null'
  and (steps::json ->> 'number')::integer = $4::integer
limit 1
