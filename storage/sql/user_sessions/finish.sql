-- Ends a session.
-- $1 session uuid
delete from user_sessions where guid = $1::uuid
