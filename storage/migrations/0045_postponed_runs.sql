-- Ordered runs that wait for an earlier run are postponed, and their order is found in an index.

-- The time to which the run was postponed because an earlier run of its record was open. It counts only while it equals due_at.
alter table run_queue add column postponed_until timestamptz;

-- The order of a workflow's runs of a record. As before, the few rows that do not wait have an index of their own.
create index run_queue_order on run_queue (business_id, entity_id, workflow_id, event_id) where status <> 'waiting';
create index run_queue_waiting_order on run_queue (business_id, entity_id, workflow_id, event_id) where status = 'waiting';
drop index run_queue_by_entity;
drop index run_queue_waiting_by_entity;

-- The changes of a record by one event take effect in the order of their workflows.
create index run_queue_changes on run_queue (business_id, entity_id, event_id)
  where action in ('update_status', 'update_record', 'create_shipment');
