-- Returns the numbers of a business's matched events of the last 57 days, by the hours of its wall clock.
-- $1 business uuid
-- -> events text (an hour and the numbers of the four entity types, and so on)
select coalesce(string_agg(wall_hour(e.hour, b.timezone) || ' ' || e.orders || ' ' || e.shipments || ' ' || e.customers
                           || ' ' || e.products, ' '), '') as events
from businesses b join matched_events e on e.business_id = b.guid and e.hour > now() - interval '57 days'
where b.guid = $1::uuid
