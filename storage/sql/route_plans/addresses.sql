-- Returns addresses for a geocoder with their marks: the business's address first, with a null guid, then those of the given
-- shipments and of the dispatch's shipments that have no place or another address than they were planned for, or of all of
-- them. A stop that is done keeps its place.
-- $1 business uuid, $2 shipments uuid[], $3 dispatch uuid, $4 locates_all boolean
-- -> guid uuid or null, street text or null, city text or null, state text or null,
-- postal_code text or null, country text or null, mark bigint
select guid, street, city, state, postal_code, country, mark
from (
  select 0 as rank, null::uuid as guid, street, city, state, postal_code, country,
         address_mark(street, city, state, postal_code, country, null) as mark
  from businesses where guid = $1
  union all
  select 1, s.guid, s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code, s.recipient_country,
         m.mark
  from (select unnest($2::uuid[]) as guid, null::float8 as latitude, null::bigint as planned_for, null::text as ended_as
        union all
        select shipment_id, latitude, planned_for, ended_as from dispatch_stops where business_id = $1 and dispatch_id = $3) t
  join shipments s on s.business_id = $1 and s.guid = t.guid and s.deleted_at is null
  join businesses b on b.guid = $1
\ir recipient_mark.inc
  where $4 or t.latitude is null or t.planned_for is distinct from m.mark and not is_final(coalesce(t.ended_as, s.status))
) a
order by rank, guid
