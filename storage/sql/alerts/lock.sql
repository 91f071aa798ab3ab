-- Locks a business's settings until the transaction ends and returns its webhook.
-- $1 business uuid
-- -> webhook_url text or null
select alert_webhook_url as webhook_url from business_defaults where business_id = $1::uuid for update
