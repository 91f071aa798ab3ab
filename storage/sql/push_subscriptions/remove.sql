-- Deletes a subscription.
-- $1 business, $2 endpoint
delete from push_subscriptions where business_id = $1::uuid and endpoint = $2
