-- Returns the values for several callers of orders/values.sql, each row preceded by the caller's position.
-- $1 businesses uuid[], $2 orders uuid[]
select w.position,
\ir values.inc
from unnest($1::uuid[], $2::uuid[]) with ordinality w (business_id, guid, position)
join orders o on o.business_id = w.business_id and o.guid = w.guid
where o.deleted_at is null
order by w.position
