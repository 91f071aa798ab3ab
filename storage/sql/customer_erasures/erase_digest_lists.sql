-- Leaves events of records out of the lists of digests' runs. Those of runs that are not final yet are dropped: they will be in no
-- message. Returns the number of lists.
-- $1 business uuid, $2 records uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[] (of the records; empty: at all times),
-- $5 after uuid (a digest), $6 limit bigint
-- -> lists bigint, last uuid
with found as materialized (
  select e.digest_id, array_agg(e.event_id) as events from digest_events e
  where e.business_id = $1 and e.entity_id = any ($2::uuid[]) and e.digest_id > $5::uuid
    and (cardinality($3::timestamptz[]) = 0
         or exists (select from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) k (record, first, last)
                    where k.record = e.entity_id and e.event_at between k.first and k.last))
    and not exists (select from digests d where d.business_id = $1 and d.guid = e.digest_id)
  group by e.digest_id order by e.digest_id limit $6::bigint
), changed as (
  update run_step_texts t set request = list_without_events(t.request, f.events)
  from found f
  where t.business_id = $1 and t.origin = f.digest_id and t.at = guid_time(f.digest_id) and t.number = 0
), dropped as (
  update digest_events e set is_dropped = true
  from found f
  join run_queue q on q.business_id = $1 and q.guid = f.digest_id
  where e.business_id = $1 and e.digest_id = f.digest_id and e.at = guid_time(f.digest_id) and e.event_id = any (f.events)
)
select count(*) as lists, coalesce((select digest_id from found order by digest_id desc limit 1), $5::uuid) as last from found
