-- Replaces a secret of a webhook for alerts unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update business_defaults set sealed_alert_secret = $5::bytea
where business_id = $1::uuid and business_id = $2::uuid and $3::text = '' and sealed_alert_secret = $4::bytea
