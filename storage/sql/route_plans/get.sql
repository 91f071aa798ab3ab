-- Returns the route of a dispatch with its stops.
-- $1 business uuid, $2 dispatch_or_route uuid
select d.route_id as guid, d.guid as "dispatchId",
       (select coalesce(json_agg(json_build_object(
                 'sequence', t.place, 'shipmentId', t.shipment_id, 'address', t.address,
                 'estimatedArrival', iso(d.planned_date + t.arrives_after),
                 'status', case when t.done then 'completed' else 'pending' end) order by t.place), '[]')
        from (select row_number() over (order by t.sequence, t.shipment_id) as place, t.shipment_id, t.arrives_after,
                     address_line(s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code,
                                  s.recipient_country) as address,
                     is_final(coalesce(t.ended_as, s.status)) as done
              from dispatch_stops t
              join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
              where t.business_id = d.business_id and t.dispatch_id = d.guid) t) as stops,
       d.distance_km as "totalDistance", hours_and_minutes(d.duration) as "estimatedDuration"
from dispatches d
where d.business_id = $1 and (d.guid = $2 or d.route_id = $2) and d.deleted_at is null
