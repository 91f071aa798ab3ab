-- Ends the sessions of user $1 but $2; without $2 all of them. Run under the lock of the user's row, which starting a
-- session waits for.
delete from user_sessions where user_id = $1::uuid and guid is distinct from $2::uuid
