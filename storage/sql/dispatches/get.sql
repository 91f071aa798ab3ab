-- Returns a dispatch with its shipments: the delivery time of delivered ones, the expected arrival of the
-- others, which those without a place do not have.
-- $1 business uuid, $2 dispatch uuid
select
\ir answer.inc
  (select coalesce(json_agg(
     json_build_object('guid', s.guid, 'trackingNumber', s.tracking_number, 'status', coalesce(t.ended_as, s.status),
                       case coalesce(t.ended_as, s.status) when 'delivered' then 'deliveredAt' else 'estimatedArrival' end,
                       iso(case coalesce(t.ended_as, s.status) when 'delivered' then s.delivered_at
                           else case when t.latitude is not null then d.planned_date + t.arrives_after end end)) order by t.sequence, s.guid), '[]')
   from dispatch_stops t
   join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
   where t.business_id = d.business_id and t.dispatch_id = d.guid) as shipments,
\ir progress.inc
from dispatches d
\ir progress_of.inc
where d.business_id = $1 and d.guid = $2 and d.deleted_at is null
