-- Replaces the credentials of a version of a workflow unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update workflow_versions set sealed_credentials = $5::bytea
where business_id = $1::uuid and workflow_id = $2::uuid and version = $3::text::integer and sealed_credentials = $4::bytea
