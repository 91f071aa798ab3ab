-- Returns the next records of a business after a guid, in binary form (see bounded_record). The last record may exceed
-- the maximum of bytes.
-- $1 business uuid, $2 entity_type smallint, $3 after uuid, $4 limit bigint, $5 max_bytes bigint
-- -> guid uuid, ...
select guid, record
from (select guid, record, sum(octet_length(record)) over (order by guid rows unbounded preceding) - octet_length(record) as bytes_before
      from (
        (select guid, case when pg_column_size(o) > 8192 then bounded_record(o) else substr(record_send(o), 1, 4194305) end as record
         from orders o
         where $2::smallint = 0 and o.business_id = $1::uuid and o.guid > $3::uuid and o.deleted_at is null order by o.guid limit $4::bigint)
        union all
        (select guid, case when pg_column_size(s) > 8192 then bounded_record(s) else substr(record_send(s), 1, 4194305) end
         from shipments s
         where $2::smallint = 1 and s.business_id = $1::uuid and s.guid > $3::uuid and s.deleted_at is null order by s.guid limit $4::bigint)
        union all
        (select guid, case when pg_column_size(c) > 8192 then bounded_record(c) else substr(record_send(c), 1, 4194305) end
         from customers c
         where $2::smallint = 2 and c.business_id = $1::uuid and c.guid > $3::uuid and c.deleted_at is null order by c.guid limit $4::bigint)
        union all
        (select guid, case when pg_column_size(p) > 8192 then bounded_record(p) else substr(record_send(p), 1, 4194305) end
         from products p
         where $2::smallint = 3 and p.business_id = $1::uuid and p.guid > $3::uuid and p.deleted_at is null order by p.guid limit $4::bigint)
        offset 0) r) f  -- a record is read once
where bytes_before < $5::bigint
order by guid
