-- Locks the shipment of a purchase, then the purchase, and returns its facts with the time of the database and whether a worker
-- holds its lease. Nobody holds one of a suspended business.
-- $1 business uuid, $2 shipment uuid, $3 purchase uuid, $4 worker uuid or null
-- -> now timestamptz, is_held boolean, cause text or null (JSON),
-- guid uuid, shipment_id uuid, attempt int, status text, stray_of uuid or null, reference uuid,
-- carrier_id uuid or null, connector text, wanted jsonb, gateway_id text or null, rate_id text or null,
-- service_level text or null, service_code text or null, service_name text or null, quote numeric or null,
-- quote_currency text or null, price numeric or null, currency text or null, is_dearer boolean,
-- max_price numeric or null, max_currency text or null, format text, test_mode boolean or null, tracking_numbers json,
-- tracking_url text or null, has_label boolean, error_code text or null, error_text text or null,
-- void_state text or null, resolution text or null, requested_at timestamptz, looked_up_at timestamptz or null,
-- draft_begun_at timestamptz or null, buy_begun_at timestamptz or null, unknown_since timestamptz or null,
-- resolved_at timestamptz or null, bought_at timestamptz or null, voiding_since timestamptz or null,
-- void_begun_at timestamptz or null, voided_at timestamptz or null, erased_at timestamptz or null, attempts int,
-- lookups int, next_at timestamptz or null, estimated_delivery timestamptz or null
with shipment as materialized (
  select guid from shipments where business_id = $1::uuid and guid = $2::uuid for no key update
), first as materialized (
  select count(*) as locked from shipment
)
select clock_timestamp() as now,
       coalesce(p.lease_owner = $4::uuid and p.lease_until > clock_timestamp(), false)
         and not exists (select from businesses o where o.guid = $1::uuid and o.suspended_at is not null) as is_held,
       p.cause::text as cause,
\ir facts.inc
from first f
cross join lateral (select p.* from purchases p
                    where f.locked >= 0 and p.business_id = $1::uuid and p.guid = $3::uuid and p.shipment_id = $2::uuid
                    for update) p
