-- A row if business $1 has the dispatch $2.
select guid from dispatches where business_id = $1 and guid = $2 and deleted_at is null
