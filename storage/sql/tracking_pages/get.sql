-- Returns what the public page of a shipment shows, with the newest fifty traces, newest first, and the number of
-- older ones. An offset is the minutes by which the business's zone is ahead of UTC at the time before it. No
-- row if no shipment has the token or its business is suspended.
-- $1 token uuid
-- -> tracking_number text, status text, carrier text or null, carrier_tracking_number text or null,
-- carrier_tracking_url text or null, estimated_delivery timestamptz or null, estimated_offset int or null,
-- delivered_at timestamptz or null, delivered_offset int or null, created_at timestamptz, created_offset int,
-- city text or null, country text or null, business text, logo_url text or null, color text or null,
-- time_zone text, traces json or null, older_traces bigint
select r.tracking_number, r.status, k.name as carrier, r.carrier_tracking_number,
       coalesce(r.carrier_tracking_url, tracking_url(k.tracking_url_pattern, r.carrier_tracking_number))
         as carrier_tracking_url,
       r.estimated_delivery, minutes_east(r.estimated_delivery, b.timezone) as estimated_offset,
       r.delivered_at, minutes_east(r.delivered_at, b.timezone) as delivered_offset,
       r.created_at, minutes_east(r.created_at, b.timezone) as created_offset,
       r.recipient_city as city, r.recipient_country as country, b.name as business, b.logo_url,
       b.brand_color as color, b.timezone as time_zone, t.traces,
       greatest(t.count - 50, 0) as older_traces
from tracking_tokens n
join shipments r on r.business_id = n.business_id and r.guid = n.shipment_id and r.deleted_at is null
join businesses b on b.guid = r.business_id and b.suspended_at is null
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
cross join lateral (
  select count(*) as count,
         json_agg(json_build_object('at', iso(o.at), 'offset', minutes_east(o.at, b.timezone), 'status', o.status,
                                    'description', o.description, 'location', o.location)
                  order by o.place) filter (where o.place <= 50) as traces
  from (select *, row_number() over (order by at desc, id desc) as place from shipment_traces
        where business_id = r.business_id and shipment_id = r.guid) o
) t
where n.token = $1
