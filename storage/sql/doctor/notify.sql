-- Notifies a channel.
-- $1 channel text
select pg_notify($1, '')
