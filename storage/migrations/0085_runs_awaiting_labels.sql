-- Runs that wait for the purchase of a label, or for its void; shipments that a label locks.

-- awaited_purchase: the purchase for whose end the run waits in its current step; null while it does not.
alter table run_queue add column awaited_purchase uuid;

create index run_queue_awaiting on run_queue (business_id, awaited_purchase) where awaited_purchase is not null;

-- True for a shipment with a label that is bought, or whose purchase or void is not final: what the label says does not change,
-- and the shipment is neither cancelled nor deleted.
create function label_locks(label_status text) returns boolean language sql immutable parallel safe as $$
  select coalesce(label_status in ('buying', 'bought', 'unknown', 'voiding'), false) $$;
