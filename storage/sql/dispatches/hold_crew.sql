-- Vehicle and driver of a dispatch that is to start, held until the transaction ends: $1 business, $2 vehicle, $3 driver.
-- Their statuses (null: none, or deleted), and how many shipments of $4, the dispatch, are left to deliver.
with vehicle as (
  select status from vehicles where business_id = $1 and guid = $2 and deleted_at is null for update
), driver as (
  select status from drivers where business_id = $1 and guid = $3 and deleted_at is null for update
)
select (select status from vehicle), (select status from driver),
       (select count(*) from shipments s where s.business_id = $1 and s.dispatch_id = $4 and s.deleted_at is null
        and not is_final(s.status))
