-- Returns a row if the dispatch exists.
-- $1 business, $2 dispatch
select guid from dispatches where business_id = $1 and guid = $2 and deleted_at is null
