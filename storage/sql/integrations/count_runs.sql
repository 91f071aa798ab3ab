-- Returns the number of import runs of a store. No row if the store does not exist.
-- $1 business uuid, $2 integration uuid
-- -> total bigint
select count(r.guid) as total
from integrations i
left join integration_runs r on r.business_id = $1 and r.integration_id = i.guid
where i.business_id = $1 and i.guid = $2 and i.removed_at is null
group by i.guid
