-- Makes an import due after a webhook of a store, unless the delivery was seen before.
-- $1 business uuid, $2 integration uuid, $3 delivery text or null (key of the delivery)
with seen as (
  insert into inbound_deliveries (business_id, integration_id, delivery_id)
  select $1::uuid, $2::uuid, $3::text where $3::text is not null
  on conflict do nothing
  returning delivery_id
)
update integrations set due_at = now()
where business_id = $1::uuid and guid = $2::uuid and status = 'active' and removed_at is null
  and ($3::text is null or exists (select from seen))
