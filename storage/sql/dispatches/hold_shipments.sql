-- Holds shipments until the transaction ends: $1 business, $2 guids. Taken before any dispatch's row (0010).
select s.guid from shipments s where s.business_id = $1 and s.guid = any($2::uuid[]) and s.deleted_at is null
order by s.guid for no key update
