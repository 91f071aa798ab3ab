-- A gateway's list can put a scan that is told late before stored ones, and corrects times that were not exact. So a trace has
-- what its place in the list needs. Both are null for scans of other senders and in rows of earlier binaries.
alter table shipment_traces
  add column read_at timestamptz(3),    -- when the gateway first told it; it happened at this time or before
  add column tells_status boolean;      -- false: it says nothing of the status, and `status` is that of the scan before
