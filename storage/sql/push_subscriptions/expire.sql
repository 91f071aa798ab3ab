-- Deletes a subscription that its push service reported as gone, unless it was saved again since it was read.
-- $1 business, $2 subscription, $3 time when it was saved
delete from push_subscriptions where business_id = $1::uuid and guid = $2::uuid and updated_at = $3::timestamptz
