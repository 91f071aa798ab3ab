-- Marks an upload as confirmed and deletes its rows.
-- $1 business uuid, $2 upload uuid
with gone as (
  delete from customer_upload_parts where business_id = $1 and upload_id = $2
)
update customer_uploads set confirmed_at = now() where business_id = $1 and guid = $2
