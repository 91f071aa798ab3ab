-- Erases a person's data in the events of records between two ids. If the records were the person's at some times only, a
-- record before or after an event is erased if it was current then. Returns the number of events that held some.
-- $1 business uuid, $2 records uuid[], $3 words text[], $4 firsts timestamptz[], $5 lasts timestamptz[] (of the records;
-- empty: at all times), $6 after_event bigint, $7 last_event bigint
-- -> events bigint
with searched (text) as (
  select concat_ws(' ', erased(e.order_before, '{}')::text, erased(e.order_after, '{}')::text,
                   erased(e.shipment_before, '{}')::text, erased(e.shipment_after, '{}')::text)
  from events e
  where e.business_id = $1 and e.entity_id = any ($2::uuid[]) and e.id > $6::bigint and e.id <= $7::bigint
),
\ir found_words.inc
, changed as (
  update events e
  set order_before = n.order_before, order_after = n.order_after, shipment_before = n.shipment_before,
      shipment_after = n.shipment_after, customer_before = n.customer_before, customer_after = n.customer_after,
      cause = n.cause, detail = n.detail
  from (
    select o.id, o.at, case when b.is_theirs then erased(o.order_before, f.words) else o.order_before end as order_before,
           case when a.is_theirs then erased(o.order_after, f.words) else o.order_after end as order_after,
           case when b.is_theirs then erased(o.shipment_before, f.words) else o.shipment_before end as shipment_before,
           case when a.is_theirs then erased(o.shipment_after, f.words) else o.shipment_after end as shipment_after,
           erased(o.customer_before) as customer_before, erased(o.customer_after) as customer_after,
           o.cause - 'note' as cause,
           case when o.detail ? 'trace' and jsonb_typeof(o.detail -> 'trace') = 'object'
             then jsonb_set(o.detail, '{trace}', (o.detail -> 'trace') || jsonb_build_object(
                              'description', status_text(o.detail #>> '{trace,status}'), 'location', null))
             else o.detail end as detail
    from found f
    cross join events o
    cross join lateral (
      select cardinality($4::timestamptz[]) = 0
             or exists (select from unnest($2::uuid[], $4::timestamptz[], $5::timestamptz[]) k (record, first, last)
                        where k.record = o.entity_id and o.at > k.first and o.at <= k.last) as is_theirs) b
    cross join lateral (
      select cardinality($4::timestamptz[]) = 0
             or exists (select from unnest($2::uuid[], $4::timestamptz[], $5::timestamptz[]) k (record, first, last)
                        where k.record = o.entity_id and o.at >= k.first and o.at < k.last) as is_theirs) a
    where o.business_id = $1 and o.entity_id = any ($2::uuid[]) and o.id > $6::bigint and o.id <= $7::bigint
      and (b.is_theirs or a.is_theirs)
    offset 0  -- computes each record once
  ) n
  where e.id = n.id and e.at = n.at and e.business_id = $1 and e.entity_id = any ($2::uuid[])
    and e.id > $6::bigint and e.id <= $7::bigint
    and (e.order_before, e.order_after, e.shipment_before, e.shipment_after, e.customer_before, e.customer_after, e.cause,
         e.detail)::text  -- json has no equality
        is distinct from (n.order_before, n.order_after, n.shipment_before, n.shipment_after, n.customer_before,
                          n.customer_after, n.cause, n.detail)::text
  returning 1
)
select count(*) as events from changed
