-- Deletes a subscription that its push service reported as gone, unless it was saved again since it was read.
-- $1 business uuid, $2 subscription uuid, $3 saved_at timestamptz
delete from push_subscriptions where business_id = $1::uuid and guid = $2::uuid and updated_at = $3::timestamptz
