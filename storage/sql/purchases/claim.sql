-- Leases due purchases of some businesses to a worker, at most $4 of a business and connector at a time, those that are leased
-- already included. Rows that another session has locked are left out, as are suspended businesses and those for which another
-- worker claims at the moment: it would not see their number. A claimed request is looked up again. An empty connector is that
-- of purchases whose carrier is not chosen yet.
-- $1 worker uuid, $2 businesses uuid[], $3 connectors text[], $4 most bigint, $5 lease interval
-- -> business_id uuid, cause text or null (JSON),
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
with turn as materialized (
  select o.guid as business_id from businesses o
  where o.guid = any ($2::uuid[]) and o.suspended_at is null
  for no key update skip locked
), due as materialized (
  select l.business_id, l.guid
  from turn b
  cross join unnest($3::text[]) c (connector)
  cross join lateral (select count(*) as number from purchases p
                      where p.business_id = b.business_id and p.connector = c.connector and p.lease_owner is not null
                        and p.lease_until > statement_timestamp()) busy
  cross join lateral (select p.business_id, p.guid from purchases p
                      where p.business_id = b.business_id and p.connector = c.connector and p.claim_at <= statement_timestamp()
                        and (p.lease_until is null or p.lease_until <= statement_timestamp())
                      order by p.claim_at limit greatest($4::bigint - busy.number, 0)
                      for update skip locked) l
)
update purchases p
set lease_owner = $1::uuid, lease_until = statement_timestamp() + $5::interval, claim_at = statement_timestamp() + $5::interval,
    looked_up_at = case when p.status <> 'requested' then p.looked_up_at end
from due d
where p.business_id = d.business_id and p.guid = d.guid
returning p.business_id, p.cause::text as cause,
\ir facts.inc
