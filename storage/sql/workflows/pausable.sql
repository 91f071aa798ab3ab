-- Returns what is needed to pause a workflow. No row if it is paused, inactive or deleted.
-- $1 business uuid, $2 workflow uuid
-- -> epoch bigint, name text, business_name text, contacts text or null
select w.epoch, w.name, b.name as business_name, contact_addresses(w.business_id) as contacts
from workflows w join businesses b on b.guid = w.business_id
where w.business_id = $1::uuid and w.guid = $2::uuid and w.paused_reason is null and w.is_active and w.deleted_at is null
