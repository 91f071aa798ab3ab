-- Returns the route of a dispatch with its stops. A stop without a place has no arrival, also if an earlier version
-- planned one.
-- $1 business uuid, $2 dispatch_or_route uuid
select d.route_id as guid, d.guid as "dispatchId",
       (select coalesce(json_agg(json_build_object(
                 'sequence', t.place, 'shipmentId', t.shipment_id, 'address', t.address,
                 'estimatedArrival', iso(case when not t.unlocated then d.planned_date + t.arrives_after end),
                 'status', case when t.done then 'completed' else 'pending' end,
                 'unlocated', t.unlocated) order by t.place), '[]')
        from (select row_number() over (order by t.sequence, t.shipment_id) as place, t.shipment_id, t.arrives_after,
                     address_line(s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code,
                                  s.recipient_country) as address,
                     is_final(coalesce(t.ended_as, s.status)) as done, t.latitude is null as unlocated
              from dispatch_stops t
              join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
              where t.business_id = d.business_id and t.dispatch_id = d.guid) t) as stops,
       d.distance_km as "totalDistance", hours_and_minutes(d.duration) as "estimatedDuration",
       (select count(*) from dispatch_stops t
        join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
        where t.business_id = d.business_id and t.dispatch_id = d.guid and t.latitude is null) as unlocated,
       d.start_unlocated as "startUnlocated"
from dispatches d
where d.business_id = $1 and (d.guid = $2 or d.route_id = $2) and d.deleted_at is null
