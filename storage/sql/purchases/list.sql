-- Returns a page of a business's purchases, the newest first, of one status and carrier, if given, and of a time of request.
-- One of the four searches runs, each with its index.
-- $1 business uuid, $2 status text or null, $3 carrier uuid or null, $4 begin timestamptz or null,
-- $5 finish timestamptz or null (not included), $6 most bigint, $7 passed bigint
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
-- lookups int, next_at timestamptz or null
with page as materialized (
  (select guid, requested_at from purchases
   where $2::text is null and $3::uuid is null and business_id = $1::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is not null and $3::uuid is null and business_id = $1::uuid and status = $2::text
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is null and $3::uuid is not null and business_id = $1::uuid and carrier_id = $3::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is not null and $3::uuid is not null and business_id = $1::uuid and status = $2::text
     and carrier_id = $3::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
)
select
\ir facts.inc
from page g
join purchases p on p.business_id = $1::uuid and p.guid = g.guid
order by p.requested_at desc, p.guid desc
