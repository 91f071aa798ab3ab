-- Returns how often a workflow fired in the last 7 days, or was expected to when it was configured, whichever
-- is more, and what is needed to pause it. No row if it is paused, inactive or deleted.
-- $1 business uuid, $2 workflow uuid
-- -> epoch bigint, name text, business_name text, contacts text or null, weekly bigint
select w.epoch, w.name, b.name as business_name, contact_addresses(w.business_id) as contacts,
       greatest((select coalesce(sum(f.count), 0) from workflow_firings f
                 where f.business_id = w.business_id and f.workflow_id = w.guid and f.hour > now() - interval '7 days'),
                (select h.expected_weekly from workflow_health h
                 where h.business_id = w.business_id and h.workflow_id = w.guid))::bigint as weekly
from workflows w join businesses b on b.guid = w.business_id
where w.business_id = $1::uuid and w.guid = $2::uuid and w.paused_reason is null and w.is_active and w.deleted_at is null
