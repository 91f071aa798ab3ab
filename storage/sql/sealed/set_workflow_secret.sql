-- Replaces a secret of a webhook unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update workflow_secrets set sealed = $5::bytea
where business_id = $1::uuid and workflow_id = $2::uuid and created_at = $3::text::timestamptz and sealed = $4::bytea
