-- Leaves events of records out of open digests. A digest without another item forgets its value and takes no more events.
-- Returns the number of items.
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
), held as materialized (
  -- A session that closes a digest locks it before its items.
  select d.guid, d.count from digests d where d.business_id = $1 and d.guid in (select digest_id from found)
  order by d.guid for update
), gone as (
  delete from digest_items i using found f join held h on h.guid = f.digest_id
  where i.business_id = $1 and i.digest_id = f.digest_id and i.position = f.position
  returning i.digest_id, i.entity_id, i.event_at
), dropped as (
  update digest_events e set is_dropped = true from gone g
  where e.business_id = $1 and e.digest_id = g.digest_id and e.entity_id = g.entity_id and e.event_at = g.event_at
), emptied as (
  update digests d set value = 'null', is_full = true
  from held h
  join digests seen on seen.business_id = $1 and seen.guid = h.guid and seen.count = h.count  -- no item since this snapshot
  where d.business_id = $1 and d.guid = h.guid
    and not exists (select from digest_items i
                    where i.business_id = $1 and i.digest_id = h.guid
                      and not exists (select from found f where f.digest_id = i.digest_id and f.position = i.position))
)
select count(*) as items from found
