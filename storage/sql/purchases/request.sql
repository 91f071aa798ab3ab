-- Requests a purchase, moves the label of its shipment, which the transaction has locked, and wakes the workers. Nothing and no
-- row if a purchase of the shipment is open or bought, if the attempt exists, or if the carrier no longer has the connector: a
-- change of its account waits for this transaction, or this one for the change.
-- $1 business uuid, $2 shipment uuid, $3 purchase uuid, $4 attempt int, $5 carrier uuid or null, $6 connector text,
-- $7 wanted jsonb, $8 cause jsonb or null, $9 service_level text or null, $10 max_price text or null (a number),
-- $11 max_currency text or null, $12 format text (empty: that of the carrier which is
-- chosen, for which wanted notes usualFormat), $13 test_mode boolean or null
-- -> guid uuid, ...
with account as materialized (
  select from carrier_configurations g
  where g.business_id = $1::uuid and g.carrier_id = $5::uuid and g.connector = $6::text and g.is_active
  for share
), requested as (
  insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, carrier_id, connector, wanted, cause,
                         service_level, max_price, max_currency, format, test_mode, requested_at, next_at, claim_at)
  select $1::uuid, $3::uuid, $2::uuid, $4::integer, $3::uuid, shard_of($1::uuid), $5::uuid, $6::text,
         $7::jsonb || case when $12::text = '' then '{"usualFormat": true}' else '{}' end::jsonb, $8::jsonb,
         $9::text, $10::text::numeric, $11::text, coalesce(nullif($12::text, ''), 'pdf'), $13::boolean, statement_timestamp(), statement_timestamp(),
         statement_timestamp()
  where $5::uuid is null or exists (select from account)
  on conflict do nothing
  returning guid
), moved as (
  update shipments r set label_status = 'buying' from requested q
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.label_status is distinct from 'buying'
)
select guid, pg_notify('waybill_purchases', '') as notified from requested
