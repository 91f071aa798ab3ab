-- Makes the runs due that wait for a purchase of shipments whose label has moved. A run that is claimed reads the purchase under
-- the lock of its shipment, so it has seen this move, or the row says here that it waits.
-- $1 businesses uuid[], $2 shipments uuid[]
-- -> woken bigint, ...
with woken as (
  update run_queue q set due_at = clock_timestamp()
  from (select distinct business_id, shipment_id from unnest($1::uuid[], $2::uuid[]) e (business_id, shipment_id)) e
  join purchases p on p.business_id = e.business_id and p.shipment_id = e.shipment_id
  where q.business_id = p.business_id and q.awaited_purchase = p.guid and q.status = 'waiting'
  returning 1
), counted as (
  select count(*) as woken from woken
)
select woken, case when woken > 0 then pg_notify('waybill_queue', '') end from counted
