-- Starts a session, ends those of the user before the newest 20, and returns its expiry. No row if the password has changed
-- since the login was checked. Must run under the lock of the user's row, by an earlier statement: then it sees the sessions
-- that other logins have started.
-- $1 user uuid, $2 token_hash bytea, $3 password_hash text (as checked), $4 by_cookie boolean
-- -> expires_at timestamptz, ended bigint
with started as (
  insert into user_sessions (user_id, token_hash, created_at, expires_at, by_cookie)
  select guid, $2::bytea, t.now, t.now + interval '24 hours', $4::boolean
  from users, (select clock_timestamp() as now) t where guid = $1::uuid and password_hash = $3
  returning expires_at
), ended as (
  delete from user_sessions
  where guid in (select guid from user_sessions where user_id = $1::uuid order by created_at desc, guid offset 19)
    and exists (select from started)
  returning 1
)
select expires_at, (select count(*) from ended) as ended from started
