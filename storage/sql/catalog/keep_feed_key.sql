-- Stores the key of the cursors of the events feed if there is none yet.
-- $1 sealed bytea
update feed_key set sealed = $1::bytea where sealed is null
