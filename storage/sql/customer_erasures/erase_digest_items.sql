-- Leaves events of records out of open digests. Returns the number of items.
-- $1 business uuid, $2 records uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[] (of the records; empty: at all times),
-- $5 limit bigint
-- -> items bigint
with found as materialized (
  select i.digest_id, i.position from digest_items i
  where i.business_id = $1 and i.entity_id = any ($2::uuid[])
    and (cardinality($3::timestamptz[]) = 0
         or exists (select from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) k (record, first, last)
                    where k.record = i.entity_id and i.event_at between k.first and k.last))
  limit $5::bigint
), gone as (
  delete from digest_items i using found f
  where i.business_id = $1 and i.digest_id = f.digest_id and i.position = f.position
  returning i.digest_id, i.entity_id, i.event_at
), dropped as (
  update digest_events e set is_dropped = true from gone g
  where e.business_id = $1 and e.digest_id = g.digest_id and e.entity_id = g.entity_id and e.event_at = g.event_at
)
select count(*) as items from gone
