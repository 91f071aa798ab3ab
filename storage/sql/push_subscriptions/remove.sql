-- Deletes a subscription.
-- $1 business uuid, $2 endpoint text
delete from push_subscriptions where business_id = $1::uuid and endpoint = $2
