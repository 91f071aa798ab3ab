-- Returns shipments, also deleted ones, oldest first, with their traces.
-- $1 business uuid, $2 shipments uuid[], $3 public_url text (without a trailing slash)
select
\ir ../shipments/answer.inc
  , r.deleted_at as "deletedAt"
  , (select coalesce(json_agg(json_build_object('timestamp', iso(t.at), 'status', t.status, 'description', t.description,
                                                'location', t.location) order by t.at, t.id), '[]')
     from shipment_traces t where t.business_id = r.business_id and t.shipment_id = r.guid) as traces
from shipments r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
where r.business_id = $1 and r.guid = any ($2::uuid[])
order by r.created_at, r.guid
