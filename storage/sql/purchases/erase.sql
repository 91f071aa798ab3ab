-- Erases the persons of shipments in their purchases, whatever their status: label bytes, links and texts of errors. Guid,
-- status, price and numbers stay. What a gateway returns later is stored without bytes, links and texts. Returns the number of
-- purchases.
-- $1 business uuid, $2 shipments uuid[]
-- -> erased bigint
with held as materialized (
  select p.guid from purchases p
  where p.business_id = $1::uuid and p.shipment_id = any ($2::uuid[]) and p.erased_at is null
  order by p.guid for update
), labels as (
  delete from purchase_labels l where l.business_id = $1::uuid and l.shipment_id = any ($2::uuid[])
), erased as (
  update purchases p
  set erased_at = statement_timestamp(), tracking_url = null, error_text = null, has_label = false,
      next_at = case when p.status <> 'bought' then p.next_at end, claim_at = case when p.status <> 'bought' then p.claim_at end
  from held h where p.business_id = $1::uuid and p.guid = h.guid
  returning 1
)
select count(*) as erased from erased
