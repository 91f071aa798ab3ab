-- Returns the relatives of events as they were at the time of each event. A record's state at a time is the
-- state after its last event until then, otherwise the state before its first later event, otherwise the
-- current state; carriers and integrations have no events.
-- $1 positions int[], $2 businesses uuid[], $3 relatives uuid[], $4 times timestamptz[],
-- $5 kinds smallint[] (0 customer, 1 carrier, 2 order whose shipments are returned, 3 integration)
-- -> position int, kind int, business_id uuid, guid uuid, related uuid or null, name text or null,
-- extra text or null, more text or null, label_status text or null
with wanted as (
  select * from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::smallint[])
                  w (position, business_id, guid, at, kind)
)
select position, kind, business_id, guid, related, shown_text(name) as name, shown_text(extra) as extra, shown_text(more) as more, label_status
from (
  select w.position, 0 as kind, w.business_id, w.guid, null::uuid as related, null::timestamptz as made,
         (coalesce(earlier.customer_after, later.customer_before, later.customer_after, c)).name,
         (coalesce(earlier.customer_after, later.customer_before, later.customer_after, c)).email as extra,
         (coalesce(earlier.customer_after, later.customer_before, later.customer_after, c)).phone as more,
         null as label_status
  from wanted w
  left join customers c on c.business_id = w.business_id and c.guid = w.guid
  left join lateral (select e.customer_after from events e
                     where e.business_id = w.business_id and e.entity_id = w.guid and e.at <= w.at
                     order by e.id desc limit 1) earlier on true
  left join lateral (select e.customer_before, e.customer_after from events e
                     where e.business_id = w.business_id and e.entity_id = w.guid and e.at > w.at
                     order by e.id limit 1) later on true
  where w.kind = 0 and (coalesce(earlier.customer_after, later.customer_before, later.customer_after, c)).guid is not null
  union all
  select w.position, 1, w.business_id, c.guid, null, null, c.name, c.tracking_url_pattern, null, null
  from wanted w
  join carriers c on c.business_id in (w.business_id, catalogue_business()) and c.guid = w.guid
  where w.kind = 1
  union all
  select s.position, 2, s.business_id, s.guid, s.related, s.made, (s.shipment).tracking_number, (s.shipment).status, null,
         (s.shipment).label_status
  from (select w.position, w.business_id, w.guid, a.guid as related, a.made,
               coalesce(earlier.shipment_after, later.shipment_before, case when later.id is null then s end) as shipment
        from wanted w
        cross join lateral (select s.guid, s.created_at as made from shipments s
                            where s.business_id = w.business_id and s.order_id = w.guid
                            union
                            select e.entity_id, (e.shipment_before).created_at from events e  -- shipments removed from the order since
                            where e.business_id = w.business_id and (e.shipment_before).order_id = w.guid and e.at > w.at
                              and (e.shipment_after).order_id is distinct from (e.shipment_before).order_id) a
        left join shipments s on s.business_id = w.business_id and s.guid = a.guid
        left join lateral (select e.shipment_after from events e
                           where e.business_id = w.business_id and e.entity_id = a.guid and e.at <= w.at
                           order by e.id desc limit 1) earlier on true
        left join lateral (select e.id, e.shipment_before from events e
                           where e.business_id = w.business_id and e.entity_id = a.guid and e.at > w.at
                           order by e.id limit 1) later on true
        where w.kind = 2) s
  where (s.shipment).order_id = s.guid and (s.shipment).deleted_at is null
  union all
  select w.position, 3, w.business_id, i.guid, null, null, store_name(i), i.provider, null, null
  from wanted w
  join integrations i on i.business_id = w.business_id and i.guid = w.guid
  where w.kind = 3
) found
order by position, kind, made, related
