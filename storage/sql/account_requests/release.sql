-- Takes back what was counted at $2 for $1.
update account_requests set times = array_remove(times, $2::timestamptz)
where key = sha256(convert_to(lower($1::text), 'UTF8'))
