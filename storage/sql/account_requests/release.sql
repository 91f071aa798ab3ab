-- Removes the request that was counted at a given time.
-- $1 asker_or_receiver text, $2 time_of_count timestamptz
update account_requests set times = array_remove(times, $2::timestamptz)
where key = sha256(convert_to(lower($1::text), 'UTF8'))
