-- Records a label that turned up in addition to a purchase, with its bytes. Nothing if it is recorded already.
-- $1 business uuid, $2 purchase uuid, $3 facts json, $4 label bytea or null, $5 label_format text or null, $6 stray_of uuid
-- -> guid uuid
with n as materialized (
  select * from
\ir record.inc
), added as (
  insert into purchases (business_id, guid, shipment_id, attempt, stray_of, reference, shard, carrier_id, connector, cause,
                         status, gateway_id, rate_id, service_level, service_code, service_name, quote, quote_currency, price,
                         currency, is_dearer, format, test_mode, tracking_numbers, tracking_url, has_label, error_code,
                         error_text, requested_at, bought_at, voiding_since, erased_at, next_at, claim_at)
  select $1::uuid, $2::uuid, o.shipment_id, o.attempt, o.guid, o.reference, o.shard, o.carrier_id, o.connector, o.cause,
         n.status, n.gateway_id, n.rate_id, o.service_level, n.service_code, n.service_name, n.quote, n.quote_currency, n.price,
         n.currency, n.is_dearer, o.format, o.test_mode, n.tracking_numbers, n.tracking_url, n.has_label, n.error_code,
         n.error_text, n.requested_at, n.bought_at, n.voiding_since, o.erased_at, n.next_at, n.next_at
  from n, purchases o
  where o.business_id = $1::uuid and o.guid = $6::uuid
  on conflict (business_id, guid) do nothing
  returning business_id, guid, shipment_id, erased_at
), label as (
  insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes)
  select a.business_id, a.guid, a.shipment_id, $5::text, $4::bytea from added a
  where $4::bytea is not null and a.erased_at is null
    and exists (select from shipments r where r.business_id = $1::uuid and r.guid = a.shipment_id)
)
select guid from added
