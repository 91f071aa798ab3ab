-- Returns the open or bought purchase of a shipment.
-- $1 business uuid, $2 shipment uuid
-- -> guid uuid, shipment_id uuid, attempt int, status text, stray_of uuid or null, reference uuid,
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
select
\ir facts.inc
from purchases p
where p.business_id = $1::uuid and p.shipment_id = $2::uuid and p.stray_of is null
  and p.status in ('requested', 'buying', 'bought', 'unknown', 'voiding')
