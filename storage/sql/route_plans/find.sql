-- The dispatch of a guid that may be its own or its route's: $1 business, $2 the guid.
select guid from dispatches where business_id = $1 and (guid = $2 or route_id = $2) and deleted_at is null
