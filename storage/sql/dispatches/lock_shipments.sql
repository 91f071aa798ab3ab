-- Locks shipments and returns their guids. Must run before any dispatch is locked, see complete_dispatch_if_done.
-- $1 business uuid, $2 shipments uuid[]
-- -> guid uuid
select s.guid from shipments s where s.business_id = $1 and s.guid = any($2::uuid[]) and s.deleted_at is null
order by s.guid for no key update
