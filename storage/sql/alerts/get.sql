-- Returns the alert settings of a business; columns without a value have the product's defaults.
-- $1 business uuid
-- -> emails jsonb, webhook_url text or null, sealed_secret bytea or null, causes jsonb, minutes int
select coalesce(to_jsonb(d.alert_emails), '[]') as emails, d.alert_webhook_url as webhook_url,
       d.sealed_alert_secret as sealed_secret,
       coalesce(to_jsonb(d.alert_causes),
                '["run_dead", "workflow_paused", "import_failed", "destination_down", "workflow_silent", "import_silent",
                  "scans_silent", "label_unknown", "label_failed", "label_doubled", "label_dearer",
                  "label_of_cancelled_order"]') as causes,
       coalesce(d.alert_minutes, 60) as minutes
from (select $1::uuid as business_id) b left join business_defaults d on d.business_id = b.business_id
