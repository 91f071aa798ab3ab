-- Returns all businesses by name.
-- -> guid uuid, name text, plan text, status text, created_at text, users bigint, waiting_events bigint
select b.guid, b.name, b.plan,
       case when b.deleting_at is not null then 'deleting' when b.suspended_at is not null then 'suspended'
            else 'active' end as status,
       iso(b.created_at) as created_at, (select count(*) from users u where u.business_id = b.guid) as users,
       (select count(*) from suspended_events e where e.business_id = b.guid) as waiting_events
from businesses b
order by b.name, b.guid
