-- When the workflows $2 of business $1 were switched on and off, oldest first.
select workflow_id, at, is_active from workflow_switches
where business_id = $1::uuid and workflow_id = any ($2::uuid[])
order by workflow_id, at
