-- Makes an import due after a webhook of a store, unless the delivery was seen before. An imported order that the store
-- deleted is requested by the next import, like one that failed.
-- $1 business uuid, $2 integration uuid, $3 delivery text or null (key of the delivery), $4 deleted text or null (the
-- order's id in the store)
with seen as (
  insert into inbound_deliveries (business_id, integration_id, delivery_id)
  select $1::uuid, $2::uuid, $3::text where $3::text is not null
  on conflict do nothing
  returning delivery_id
), hinted as (
  update integrations set due_at = now()
  where business_id = $1::uuid and guid = $2::uuid and status = 'active' and removed_at is null
    and ($3::text is null or exists (select from seen))
  returning guid
)
insert into import_failures (business_id, integration_id, external_id, reason, run_id, due_at)
select $1::uuid, h.guid, o.external_id, 'The store deleted it.', '00000000-0000-0000-0000-000000000000', now()
from hinted h
join orders o on o.business_id = $1::uuid and o.integration_id = h.guid and o.external_id = $4::text
  and o.deleted_at is null
on conflict (business_id, integration_id, external_id) do update set due_at = excluded.due_at
