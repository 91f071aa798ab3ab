-- Ends a session of a user or of a one-time link.
-- $1 session uuid
with linked as (
  delete from console_sessions where guid = $1::uuid
)
delete from user_sessions where guid = $1::uuid
