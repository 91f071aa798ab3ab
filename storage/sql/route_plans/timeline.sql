-- Returns a route as the events of a day: actual times of past events, planned times of the others, in the
-- business's time zone; none of an open stop without a place. In a started dispatch, the first open delivery is in progress; if none is open, the
-- return is.
-- $1 business uuid, $2 dispatch_or_route uuid
with route as (
  select d.*, b.timezone,
         coalesce(address_line(b.street, b.city, b.state, b.postal_code, b.country), b.name) as base
  from dispatches d join businesses b on b.guid = d.business_id
  where d.business_id = $1 and (d.guid = $2 or d.route_id = $2) and d.deleted_at is null
), stops as (
  select row_number() over (order by t.sequence, t.shipment_id) as place,
         case when coalesce(t.ended_as, s.status) = 'delivered' then s.delivered_at end as delivered_at,
         case when t.latitude is not null then r.planned_date + t.arrives_after end as planned_at, is_final(coalesce(t.ended_as, s.status)) as done,
         coalesce(address_line(s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code,
                               s.recipient_country), s.recipient_name) as location
  from route r
  join dispatch_stops t on t.business_id = r.business_id and t.dispatch_id = r.guid
  join shipments s on s.business_id = t.business_id and s.guid = t.shipment_id and s.deleted_at is null
), next_stop as (
  select min(place) as place from stops where not done
), events as (
  select 0 as place, coalesce(r.started_at, r.planned_date) as at, 'departure' as type, r.base as location,
         case when r.started_at is null then 'pending' else 'completed' end as status
  from route r
  union all
  select s.place, coalesce(s.delivered_at, s.planned_at), 'delivery', s.location,
         case when s.done then 'completed' when r.status = 'in_progress' and s.place = n.place then 'in_progress'
              else 'pending' end
  from route r, stops s, next_stop n
  union all
  select null, case when r.status = 'completed' then r.ended_at else r.planned_date + r.duration end, 'return', r.base,
         case when r.status = 'completed' then 'completed'
              when r.status = 'in_progress' and n.place is null then 'in_progress' else 'pending' end
  from route r, next_stop n
)
select r.route_id as "routeId",
       (select json_agg(json_build_object('time', to_char(e.at at time zone r.timezone, 'HH24:MI'), 'type', e.type,
                                          'location', e.location, 'status', e.status) order by e.place nulls last)
        from events e) as events
from route r
