-- Returns the orders of several callers of orders/get.sql, each row preceded by the caller's position.
-- $1 businesses uuid[], $2 orders uuid[]
select w.position,
\ir answer.inc
from unnest($1::uuid[], $2::uuid[]) with ordinality w (business_id, guid, position)
join orders r on r.business_id = w.business_id and r.guid = w.guid
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
where r.deleted_at is null
order by w.position
