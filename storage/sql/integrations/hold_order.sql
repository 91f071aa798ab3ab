-- Reserves an order of a store for a worker, so that only this worker reports a shipment to the store. No row
-- if another worker has it or the business is suspended or deleted.
-- $1 business uuid, $2 integration uuid, $3 external_id text, $4 worker uuid, $5 duration interval
insert into tracking_pushes (business_id, integration_id, external_id, worker, held_until)
select $1::uuid, $2::uuid, $3::text, $4::uuid, clock_timestamp() + $5::interval
from businesses b where b.guid = $1::uuid and b.suspended_at is null
for key share
on conflict (business_id, integration_id, external_id) do update
set worker = excluded.worker, held_until = excluded.held_until
where tracking_pushes.worker = excluded.worker or tracking_pushes.held_until <= clock_timestamp()
returning true
