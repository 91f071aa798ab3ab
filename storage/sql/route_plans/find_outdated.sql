-- Returns the dispatch that has a guid or whose route has it, and whether its route was planned for other stops or addresses
-- than the present ones. A dispatch that has ended keeps its route, and a stop that is done its place.
-- $1 business uuid, $2 dispatch_or_route uuid
-- -> guid uuid, is_outdated boolean
select d.guid,
       d.status in ('draft', 'ready', 'in_progress')
         and (coalesce(d.planned_stops, 0) <> c.stops
              or c.stops > 0 and d.planned_from is distinct from
                                 address_mark(b.street, b.city, b.state, b.postal_code, b.country, null)
              or c.is_elsewhere) as is_outdated
from dispatches d
join businesses b on b.guid = d.business_id
cross join lateral (
  select count(*) as stops,
         coalesce(bool_or(t.planned_for is distinct from m.mark and not is_final(coalesce(t.ended_as, s.status))), false)
           as is_elsewhere
  from dispatch_stops t
  cross join lateral (
    select k.* from shipments k
    where k.business_id = t.business_id and k.guid = t.shipment_id and k.deleted_at is null
    offset 0) s  -- one by one, never all shipments of the business
\ir recipient_mark.inc
  where t.business_id = d.business_id and t.dispatch_id = d.guid
) c
where d.business_id = $1 and (d.guid = $2 or d.route_id = $2) and d.deleted_at is null
