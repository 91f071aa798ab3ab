-- Adds a job. No row if the business has too many that have not ended.
-- $1 business uuid, $2 guid uuid, $3 kind text, $4 operation text, $5 role text, $6 most_open bigint
insert into jobs (business_id, guid, kind, operation, role, due_at)
select $1::uuid, $2::uuid, $3::text, $4::text, $5::text, now()
where (select count(*) from (select from jobs where business_id = $1::uuid and status = 'running' limit $6::bigint) o) < $6::bigint
returning guid
