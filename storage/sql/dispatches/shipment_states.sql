-- Returns the status of locked shipments, with their dispatch and whether it is open.
-- $1 business uuid, $2 shipments uuid[]
-- -> guid uuid, status text, dispatch_id uuid or null, is_in_open_dispatch boolean
select s.guid, s.status, s.dispatch_id, d.guid is not null as is_in_open_dispatch
from shipments s
left join dispatches d on d.business_id = s.business_id and d.guid = s.dispatch_id and d.deleted_at is null
                          and d.status in ('draft', 'ready', 'in_progress')
where s.business_id = $1 and s.guid = any($2::uuid[]) and s.deleted_at is null
