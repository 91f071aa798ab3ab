-- Adds the lanes of businesses that have an account with a gateway whose scans come by themselves.
-- $1 connectors text[]
with accounts as materialized (
  select g.business_id, g.connector
  from unnest($1::text[]) c (name)
  join carrier_configurations g on g.connector = c.name and g.connector <> 'manual' and g.is_active and g.tracking_sync
  where not exists (select from tracking_lanes l where l.business_id = g.business_id and l.connector = g.connector)
  for key share of g skip locked  -- a deletion waits, so that it sees the lane; a locked account is left to the next call
)
insert into tracking_lanes (business_id, connector)
select distinct business_id, connector from accounts
on conflict do nothing
