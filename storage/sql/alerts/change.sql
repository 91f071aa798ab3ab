-- Changes the alert settings of a business; null keeps a value.
-- $1 business uuid, $2 emails text[] or null, $3 causes text[] or null, $4 minutes int or null,
-- $5 webhook_url text or null, $6 sealed_secret bytea or null, $7 without_webhook boolean
update business_defaults
set alert_emails = coalesce($2::text[], alert_emails), alert_causes = coalesce($3::text[], alert_causes),
    alert_minutes = coalesce($4::integer, alert_minutes),
    alert_webhook_url = case when $7::boolean then null else coalesce($5, alert_webhook_url) end,
    sealed_alert_secret = case when $7::boolean then null else coalesce($6::bytea, sealed_alert_secret) end
where business_id = $1::uuid
