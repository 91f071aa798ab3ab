-- Locks a customer and returns the words that identify the person, and whether anything is left to erase.
-- $1 business uuid, $2 customer uuid
-- -> name text, email text or null, words jsonb, is_erased boolean
select c.name, c.email,
       to_jsonb(array(select lower(d) from unnest(array[c.name, c.email, c.phone, c.street]) d
             where length(d) > 2 and d <> 'Erased')) as words,
       c is not distinct from erased(c) as is_erased
from customers c where c.business_id = $1 and c.guid = $2 and c.deleted_at is null
for update
