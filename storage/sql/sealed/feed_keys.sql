-- Returns the sealed key of the cursors of the events feed.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select k.business, k.id, k.name, f.sealed
from feed_key f,
     (values (uuid '00000000-0000-0000-0000-000000000000', uuid '00000000-0000-0000-0000-000000000000', text 'feed'))
     k (business, id, name)
where f.sealed is not null and (k.business, k.id, k.name) > ($1::uuid, $2::uuid, $3)
