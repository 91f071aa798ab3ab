-- Returns the headers of a workflow's action, or of one of its steps, as stored, and the sealed credentials (in
-- hex) that their stars stand for.
-- $1 business uuid, $2 workflow uuid, $3 step int (from 1)
-- -> name text, headers jsonb or null, sealed_credentials text or null, url text or null
select w.name, d.definition -> 'headers' as headers, encode(w.sealed_credentials, 'hex') as sealed_credentials,
       case when d.definition ->> 'type' = 'webhook' then d.definition ->> 'recipient' end as url
from workflows w,
     lateral (select case when w.action ? 'steps' then flat_steps(w.action -> 'steps') -> ($3::integer - 1)
                          when $3::integer = 1 then w.action end as definition) d
where w.business_id = $1::uuid and w.guid = $2::uuid and w.deleted_at is null
