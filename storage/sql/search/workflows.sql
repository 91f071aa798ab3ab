-- Returns the workflows that a search finds: by guid or by name, of which the whole counts as a whole text.
-- $1 business uuid, $2 text text, $3 guid uuid or null
-- -> whole boolean, created_at timestamptz, ...
with t as materialized (
\ir terms.inc
)
select m.whole, r.created_at, 'workflow'::text as type, r.guid, r.name as title,
       (array['Order', 'Shipment', 'Customer', 'Product'])[r.entity_type + 1] as subtitle,
       case when r.paused_reason is not null then 'paused' when r.is_active then 'active' else 'disabled' end as status
from workflows r cross join t
\ir matched_workflow.inc
where r.business_id = $1::uuid and r.deleted_at is null and (m.whole or m.named)
order by m.whole desc, r.created_at desc, r.guid desc limit 20
