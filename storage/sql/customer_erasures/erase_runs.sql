-- Erases a person's data in the finished runs of records between two guids. Returns the number of runs that held some.
-- $1 business uuid, $2 records uuid[], $3 no_record uuid, $4 firsts timestamptz[], $5 lasts timestamptz[] (of the records;
-- empty: at all times), $6 after uuid, $7 last uuid, $8 impersonal_actions text[] (their requests stay)
-- -> runs bigint
with changed as (
  update runs r
  set request = case when r.action = any ($8::text[]) and r.steps is null then r.request else 'null' end, body = null,
      error = null, tries = erased_tries(r.tries), steps = erased_steps(r.steps)
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and r.guid > $6::uuid and r.guid <= $7::uuid
    and (r.body is not null or r.steps is not null or r.error is not null or r.tries::jsonb <> erased_tries(r.tries)::jsonb
         or (r.request <> 'null' and r.action <> all ($8::text[])))
    and
\ir run_times.inc
  returning 1
), texts as (
  delete from run_step_texts t using runs r
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and r.guid > $6::uuid and r.guid <= $7::uuid
    and (r.steps is not null or r.entity_id = $3::uuid)
    and t.business_id = $1 and t.origin in (r.guid, r.origin)
    and (r.trigger_code <> 'digest' or t.number > 0)  -- see erase_digest_lists.sql
    and
\ir run_times.inc
), addresses as (
  delete from mail_addresses m using runs r
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and r.guid > $6::uuid and r.guid <= $7::uuid
    and m.business_id = $1 and m.run = r.guid and m.at = guid_time(r.guid)
    and
\ir run_times.inc
)
select count(*) as runs from changed
