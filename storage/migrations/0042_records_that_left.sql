-- Finds the records that left a customer, for erasing a person.

-- The few events by which an order or a shipment left its customer: only they hold the customer's id, not the record's row.
-- Writers wait until the indexes are built, which takes about half a second for a million events.
create index events_by_customer_left on only events
  (business_id, (coalesce((order_before).customer_id, (shipment_before).customer_id)))
  where coalesce((order_before).customer_id, (shipment_before).customer_id) is not null
    and coalesce((order_after).customer_id, (shipment_after).customer_id)
        is distinct from coalesce((order_before).customer_id, (shipment_before).customer_id);
do $$
declare
  part record;
begin
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'events'::regclass
              order by c.relname loop
    execute format('create index %I on %I
                      (business_id, (coalesce((order_before).customer_id, (shipment_before).customer_id)))
                      where coalesce((order_before).customer_id, (shipment_before).customer_id) is not null
                        and coalesce((order_after).customer_id, (shipment_after).customer_id)
                            is distinct from coalesce((order_before).customer_id, (shipment_before).customer_id)',
                   part.relname || '_business_id_coalesce_idx', part.relname);
    execute format('alter index events_by_customer_left attach partition %I', part.relname || '_business_id_coalesce_idx');
  end loop;
end $$;
