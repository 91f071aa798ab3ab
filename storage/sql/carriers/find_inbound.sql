-- Returns the businesses that may have signed a call of a carrier, each with its connector and secrets; one row with
-- a null business if there are none. No row if the carrier does not exist.
-- $1 carrier uuid, $2 business uuid or null (null: any)
-- -> name text, business uuid or null, sealed_secret bytea or null,
-- connector text or null, sealed_api_secret bytea or null, is_suspended boolean
select k.name, g.business_id as business, g.sealed_inbound_secret as sealed_secret,
       g.connector, g.sealed_api_secret,
       b.suspended_at is not null as is_suspended
from carriers k
left join carrier_configurations g on g.carrier_id = k.guid and g.sealed_inbound_secret is not null and g.is_active
  and ($2::uuid is null or g.business_id = $2::uuid)
left join businesses b on b.guid = g.business_id
where k.guid = $1::uuid and k.deleted_at is null
