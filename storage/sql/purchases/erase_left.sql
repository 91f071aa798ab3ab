-- Erases a person in the voided and refused purchases of shipments that are not the person's any more, as erase.sql does: those
-- that were requested in a time in which the shipment was the person's. The recipient of any other purchase is the present one.
-- $1 business uuid, $2 shipments uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[]
-- -> erased bigint
with held as materialized (
  select p.guid from purchases p
  where p.business_id = $1::uuid and p.erased_at is null and p.status in ('voided', 'refused')
    and exists (select from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) t (shipment, first, last)
                where t.shipment = p.shipment_id and p.requested_at between t.first and t.last)
    and p.shipment_id = any ($2::uuid[])
  order by p.guid for update
),
\ir erase.inc
