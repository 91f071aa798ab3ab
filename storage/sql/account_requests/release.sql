-- Removes the request that was counted at a given time.
-- $1 sender_or_recipient text, $2 counted_at timestamptz
update account_requests set times = array_remove(times, $2::timestamptz)
where key = sha256(convert_to(lower($1::text), 'UTF8'))
