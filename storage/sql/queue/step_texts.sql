-- Returns the texts that a step of a run was sent with before, by an earlier run of the same event and workflow: those of the
-- run that is repeated, if this is its last step, or the newest of a step that was over, or those of the first run.
-- $1 business uuid, $2 origin uuid, $3 replay_of uuid, $4 number int
-- -> request text, body text or null
select request, body
from (select request, body, case when guid = $3::uuid then 1 else 3 end as place from all_runs
      where business_id = $1::uuid and guid in ($2::uuid, $3::uuid) and request <> 'null'
        and (steps::json ->> 'number')::integer = $4::integer
      union all
      select request, body, 2 from run_step_texts
      where business_id = $1::uuid and origin = $2::uuid and at = guid_time($2::uuid) and number = $4::integer) t
order by place
limit 1
