-- Returns the oldest purchases from a carrier for which the gateway is still to be asked: open ones, labels that are voided or
-- loaded, and those resolved as not bought, while they are looked up. Those of another mode wait for it, not for the account.
-- $1 business uuid, $2 carrier uuid, $3 connector text, $4 test_mode boolean, $5 most bigint
-- -> guid uuid, shipment_id uuid, status text
select p.guid, p.shipment_id, purchase_status(p.status, p.void_state, p.lookups) as status
from (select guid from purchases
      where business_id = $1::uuid and status in ('requested', 'buying', 'unknown', 'voiding') and carrier_id = $2::uuid
        and connector = $3::text
      union
      select guid from purchases
      where business_id = $1::uuid and connector = $3::text and claim_at is not null and carrier_id = $2::uuid) o
join purchases p on p.business_id = $1::uuid and p.guid = o.guid
where p.test_mode is null or p.test_mode = $4::boolean
order by p.requested_at, p.guid limit $5::bigint
