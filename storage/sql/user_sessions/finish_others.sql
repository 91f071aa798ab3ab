-- Ends all sessions of a user except one. Must run under the lock of the user's row, which the start of a
-- session waits for.
-- $1 user uuid, $2 kept_session uuid or null
delete from user_sessions where user_id = $1::uuid and guid is distinct from $2::uuid
