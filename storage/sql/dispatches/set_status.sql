-- Sets the status of a locked dispatch to draft or ready.
-- $1 business, $2 dispatch, $3 status
update dispatches set status = $3 where business_id = $1 and guid = $2
