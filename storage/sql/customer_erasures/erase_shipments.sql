-- Erases a person's data in shipments, their traces, labels and stops. A shipment without customer and order becomes one
-- of the erased customer, so that a repeated request finds it.
-- $1 business uuid, $2 records uuid[], $3 words text[], $4 customer uuid
with held as materialized (
  select s as old from shipments s where s.business_id = $1 and s.guid = any ($2::uuid[]) order by s.guid for update
), searched (text) as (
  select erased(h.old, '{}')::text from held h
),
\ir found_words.inc
, traces as (
  update shipment_traces t set description = status_text(t.status), location = null
  from held h
  where t.business_id = $1 and t.shipment_id = (h.old).guid
    and (t.description, t.location) is distinct from (status_text(t.status), null)
), labels as (
  delete from shipment_labels l using held h where l.business_id = $1 and l.shipment_id = (h.old).guid
), stops as (
  update dispatch_stops d set latitude = null, longitude = null, planned_for = null
  from held h
  where d.business_id = $1 and d.shipment_id = (h.old).guid and (d.latitude is not null or d.planned_for is not null)
)
update shipments r
set customer_id = case when r.customer_id is null and r.order_id is null then $4 else r.customer_id end,
\columns assign shipments.personal e
from found f, held h, erased(h.old, f.words) e
where r.business_id = $1 and r.guid = e.guid and h.old::text is distinct from e::text  -- json has no equality
