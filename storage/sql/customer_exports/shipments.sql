-- Returns the shipments of a customer and of the customer's orders, oldest first, with their traces.
-- $1 business uuid, $2 customer uuid, $3 public_url text (without a trailing slash)
with own as materialized (
  select guid from shipments where business_id = $1 and customer_id = $2 and deleted_at is null
  union
  select s.guid from orders o join shipments s on s.business_id = $1 and s.order_id = o.guid and s.deleted_at is null
  where o.business_id = $1 and o.customer_id = $2 and o.deleted_at is null
)
select
\ir ../shipments/answer.inc
  , (select coalesce(json_agg(json_build_object('timestamp', iso(t.at), 'status', t.status, 'description', t.description,
                                                'location', t.location) order by t.at, t.id), '[]')
     from shipment_traces t where t.business_id = r.business_id and t.shipment_id = r.guid) as traces
from own
join shipments r on r.business_id = $1 and r.guid = own.guid
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
order by r.created_at, r.guid
