-- Sets an order's collection date and, if given, its time window. Returns the status of an order that
-- can no longer be changed; it stays as it is.
-- $1 business uuid, $2 order uuid, $3 collection_date timestamptz, $4 has_window boolean,
-- $5 window_start text or null, $6 window_end text or null
-- -> locked text or null
with held as (
  select guid, case when status in ('shipped', 'delivered') then status end as locked, case when $4 then $5 else collection_start end as starts,
         case when $4 then $6 else collection_end end as ends
  from orders where business_id = $1 and guid = $2 and deleted_at is null for update
), assigned as (
  update orders r set collection_date = $3, collection_start = h.starts, collection_end = h.ends from held h
  where r.business_id = $1 and r.guid = h.guid and h.locked is null
    and (r.collection_date, r.collection_start, r.collection_end) is distinct from ($3, h.starts, h.ends)
)
select locked from held
