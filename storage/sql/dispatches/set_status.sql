-- Moves a held dispatch between draft and ready: $1 business, $2 guid, $3 the status.
update dispatches set status = $3 where business_id = $1 and guid = $2
