-- Returns the current records by position, in binary form (see bounded_record), until they reach a number of bytes,
-- which the last one may exceed; null for a deleted record.
-- $1 entity_types smallint[], $2 businesses uuid[], $3 records uuid[], $4 max_bytes bigint
-- -> position bigint, ...
select position, record
from (select position, record, sum(coalesce(octet_length(record), 0)) over (order by position rows unbounded preceding)
                               - coalesce(octet_length(record), 0) as bytes_before
      from (select w.position,
                   case w.entity_type
                     when 0 then (select case when pg_column_size(o) > 8192 then bounded_record(o) else substr(record_send(o), 1, 4194305) end
                             from orders o where o.business_id = w.business_id and o.guid = w.guid and o.deleted_at is null)
                     when 1 then (select case when pg_column_size(s) > 8192 then bounded_record(s) else substr(record_send(s), 1, 4194305) end
                             from shipments s where s.business_id = w.business_id and s.guid = w.guid and s.deleted_at is null)
                     when 2 then (select case when pg_column_size(c) > 8192 then bounded_record(c) else substr(record_send(c), 1, 4194305) end
                             from customers c where c.business_id = w.business_id and c.guid = w.guid and c.deleted_at is null)
                     else (select case when pg_column_size(p) > 8192 then bounded_record(p) else substr(record_send(p), 1, 4194305) end
                             from products p where p.business_id = w.business_id and p.guid = w.guid and p.deleted_at is null)
                   end as record
            from unnest($1::smallint[], $2::uuid[], $3::uuid[]) with ordinality w (entity_type, business_id, guid, position)
            offset 0) r) f  -- a record is read once
where bytes_before < $4::bigint
order by position
