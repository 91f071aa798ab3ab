-- Replaces the key of the cursors of the events feed unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update feed_key set sealed = $5::bytea
where $1::uuid = $2::uuid and $3::text = 'feed' and sealed = $4::bytea
