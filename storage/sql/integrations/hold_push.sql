-- Reserves an order of a store for a worker, so that only this worker reports a shipment to the store. No row
-- if another worker has it.
-- $1 business uuid, $2 integration uuid, $3 external_id text, $4 worker uuid, $5 duration interval
insert into tracking_pushes (business_id, integration_id, external_id, worker, held_until)
values ($1, $2, $3, $4, clock_timestamp() + $5::interval)
on conflict (business_id, integration_id, external_id) do update
set worker = excluded.worker, held_until = excluded.held_until
where tracking_pushes.worker = excluded.worker or tracking_pushes.held_until <= clock_timestamp()
returning true
