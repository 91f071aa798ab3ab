-- Returns the dispatch that has a guid or whose route has it.
-- $1 business uuid, $2 dispatch_or_route uuid
-- -> guid uuid
select guid from dispatches where business_id = $1 and (guid = $2 or route_id = $2) and deleted_at is null
