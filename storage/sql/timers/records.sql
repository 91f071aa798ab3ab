-- Returns the next records of a business after a guid, in binary form.
-- $1 business uuid, $2 entity_type smallint, $3 after uuid, $4 limit bigint
-- -> guid uuid, ...
(select guid, record_send(o) as record from orders o
 where $2::smallint = 0 and o.business_id = $1::uuid and o.guid > $3::uuid and o.deleted_at is null order by o.guid limit $4::bigint)
union all
(select guid, record_send(s) from shipments s
 where $2::smallint = 1 and s.business_id = $1::uuid and s.guid > $3::uuid and s.deleted_at is null order by s.guid limit $4::bigint)
union all
(select guid, record_send(c) from customers c
 where $2::smallint = 2 and c.business_id = $1::uuid and c.guid > $3::uuid and c.deleted_at is null order by c.guid limit $4::bigint)
union all
(select guid, record_send(p) from products p
 where $2::smallint = 3 and p.business_id = $1::uuid and p.guid > $3::uuid and p.deleted_at is null order by p.guid limit $4::bigint)
