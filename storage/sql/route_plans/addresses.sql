-- Returns addresses for a geocoder: the business's address first, with a null guid, then those of the given
-- shipments and of the dispatch's shipments that have no place, or of all of them.
-- $1 business uuid, $2 shipments uuid[], $3 dispatch uuid, $4 locates_all boolean
-- -> guid uuid or null, street text or null, city text or null, state text or null,
-- postal_code text or null, country text or null
select guid, street, city, state, postal_code, country
from (
  select 0 as rank, null::uuid as guid, street, city, state, postal_code, country from businesses where guid = $1
  union all
  select 1, s.guid, s.recipient_street, s.recipient_city, s.recipient_state, s.recipient_postal_code, s.recipient_country
  from shipments s
  where s.business_id = $1 and s.deleted_at is null
    and (s.guid = any($2::uuid[]) or s.guid in (select t.shipment_id from dispatch_stops t
                                                where t.business_id = $1 and t.dispatch_id = $3 and (t.latitude is null or $4)))
) a
order by rank, guid
