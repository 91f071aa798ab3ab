-- Notes the addresses of the mails that runs send. Those of queued runs count only while the worker holds the run.
-- $1 worker uuid or null (the runs are new), $2 businesses uuid[], $3 runs uuid[], $4 steps int[], $5 addresses uuid[]
insert into mail_addresses (business_id, address, run, step, at)
select m.business_id, m.address, m.run, m.step, guid_time(m.run)
from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::uuid[]) m (business_id, run, step, address)
where $1::uuid is null
   or exists (select from run_queue q where q.business_id = m.business_id and q.guid = m.run and q.lease_owner = $1::uuid
             and q.erased is not true)
on conflict do nothing
