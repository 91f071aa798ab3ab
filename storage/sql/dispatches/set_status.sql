-- Sets the status of a locked dispatch to draft or ready.
-- $1 business uuid, $2 dispatch uuid, $3 status text
update dispatches set status = $3 where business_id = $1 and guid = $2
