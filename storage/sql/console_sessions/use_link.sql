-- Uses a link up: starts its session and returns the expiry. No row if the link is wrong, used or expired. Of several
-- concurrent uses, one gets the row: the others wait for it and find that the hash is another one.
-- $1 link_hash bytea, $2 token_hash bytea
-- -> expires_at timestamptz
update console_sessions
set secret_hash = $2::bytea, started_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours'
where secret_hash = $1::bytea and started_at is null and expires_at > clock_timestamp()
returning expires_at
