-- Requests the next attempt of a purchase that the transaction has moved to `voided`, because its label was taken back in the
-- gateway, and wakes the workers. Request, author and limits are those of the purchase.
-- $1 business uuid, $2 purchase uuid (of the next attempt), $3 facts json (of the next attempt), $4 before uuid (the purchase)
-- -> guid uuid, ...
with n as materialized (
  select * from
\ir record.inc
), requested as (
  insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, carrier_id, connector, wanted, cause,
                         service_level, service_code, service_name, quote, quote_currency, estimated_delivery, max_price,
                         max_currency, format, test_mode, requested_at, erased_at, lookups, next_at, claim_at)
  select o.business_id, $2::uuid, o.shipment_id, o.attempt + 1, $2::uuid, o.shard, n.carrier_id, n.connector, o.wanted, o.cause,
         n.service_level, n.service_code, n.service_name, n.quote, n.quote_currency, n.estimated_delivery, o.max_price,
         o.max_currency, n.format, n.test_mode, n.requested_at, o.erased_at, n.lookups, n.next_at, n.next_at
  from n, purchases o
  where o.business_id = $1::uuid and o.guid = $4::uuid
  returning guid
)
select guid, pg_notify('waybill_purchases', '') as notified from requested
