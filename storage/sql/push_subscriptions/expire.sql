-- Its push service says that the subscription $2 of business $1 is gone; unless it was saved again since $3.
delete from push_subscriptions where business_id = $1::uuid and guid = $2::uuid and updated_at = $3::timestamptz
