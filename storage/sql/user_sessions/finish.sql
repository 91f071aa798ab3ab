-- Ends a session.
-- $1 session
delete from user_sessions where guid = $1::uuid
