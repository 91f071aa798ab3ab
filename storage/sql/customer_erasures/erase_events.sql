-- Erases a person's data in the events of records, and in the notes of their status changes. Returns the number of
-- events that held some.
-- $1 business uuid, $2 records uuid[], $3 words text[]
-- -> events bigint
with changed as (
  update events e
  set order_before = n.order_before, order_after = n.order_after, shipment_before = n.shipment_before,
      shipment_after = n.shipment_after, customer_before = n.customer_before, customer_after = n.customer_after,
      cause = n.cause, detail = n.detail
  from (
    select o.id, o.at, erased(o.order_before, $3::text[]) as order_before, erased(o.order_after, $3::text[]) as order_after,
           erased(o.shipment_before, $3::text[]) as shipment_before, erased(o.shipment_after, $3::text[]) as shipment_after,
           erased(o.customer_before) as customer_before, erased(o.customer_after) as customer_after,
           o.cause - 'note' as cause,
           case when o.detail ? 'trace' and jsonb_typeof(o.detail -> 'trace') = 'object'
             then jsonb_set(o.detail, '{trace}', (o.detail -> 'trace') || jsonb_build_object(
                              'description', status_text(o.detail #>> '{trace,status}'), 'location', null))
             else o.detail end as detail
    from events o where o.business_id = $1 and o.entity_id = any ($2::uuid[])
  ) n
  where e.id = n.id and e.at = n.at and e.business_id = $1 and e.entity_id = any ($2::uuid[])
    and (e.order_before, e.order_after, e.shipment_before, e.shipment_after, e.customer_before, e.customer_after, e.cause,
         e.detail)::text  -- json has no equality
        is distinct from (n.order_before, n.order_after, n.shipment_before, n.shipment_after, n.customer_before,
                          n.customer_after, n.cause, n.detail)::text
  returning 1
), notes as (
  update status_history set cause = cause - 'note'
  where business_id = $1 and entity_id = any ($2::uuid[]) and cause ? 'note'
)
select count(*) as events from changed
