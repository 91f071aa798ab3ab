-- Locks the shipments of a dispatch and returns their guids.
-- $1 business uuid, $2 dispatch uuid
select s.guid from shipments s where s.business_id = $1 and s.dispatch_id = $2
order by s.guid for no key update
