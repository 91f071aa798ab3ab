-- How many sweeps a store has had: $1 business, $2 integration. No row: there is no such store.
select count(r.guid)
from integrations i
left join integration_runs r on r.business_id = $1 and r.integration_id = i.guid
where i.business_id = $1 and i.guid = $2 and i.removed_at is null
group by i.guid
