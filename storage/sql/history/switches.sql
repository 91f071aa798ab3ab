-- Returns the switches on and off of workflows that were in force at one of the given times, oldest first.
-- $1 business uuid, $2 workflows uuid[], $3 times timestamptz[]
-- -> workflow_id uuid, at timestamptz, is_active boolean
select workflow_id, at, is_active
from (select s.workflow_id, s.at, s.is_active,
             lead(s.at) over (partition by s.workflow_id order by s.at) as replaced_at
      from workflow_switches s where s.business_id = $1::uuid and s.workflow_id = any ($2::uuid[])) s
where exists (select from unnest($3::timestamptz[]) t (at)
              where t.at >= s.at and (s.replaced_at is null or t.at < s.replaced_at))
order by workflow_id, at
