-- Takes an order of a store for the worker $4 until $5 from now, to tell the store of a shipment; no row: another has it.
insert into tracking_pushes (business_id, integration_id, external_id, worker, held_until)
values ($1, $2, $3, $4, clock_timestamp() + $5::interval)
on conflict (business_id, integration_id, external_id) do update
set worker = excluded.worker, held_until = excluded.held_until
where tracking_pushes.worker = excluded.worker or tracking_pushes.held_until <= clock_timestamp()
returning true
