-- Returns the key of the cursors of the events feed, and whether new cursors are sealed with it.
-- -> sealed bytea, is_used boolean
select sealed, now() >= used_from as is_used from feed_key where sealed is not null
