-- Returns a row if the dispatch exists.
-- $1 business uuid, $2 dispatch uuid
select guid from dispatches where business_id = $1 and guid = $2 and deleted_at is null
