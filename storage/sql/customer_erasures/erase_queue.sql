-- Erases a person's data in the queued runs of records between two guids, except those of an attempt in flight. Mails to
-- the person alone end as skipped, and so do mails that have been attempted, because their recipients are no longer known, and
-- runs with a step to come that uses an answer. Other messages, those of digests and of steps are rendered again from the erased
-- records when they are due. The answers of destinations are removed from all runs, also from those that
-- wait for a later step. An attempt in flight is marked, so that its answer is not kept. Returns the number of runs, and the
-- number of attempts in flight.
-- $1 business uuid, $2 records uuid[], $3 no_record uuid, $4 firsts timestamptz[], $5 lasts timestamptz[] (of the records;
-- empty: at all times), $6 after uuid, $7 last uuid, $8 impersonal_actions text[] (their requests stay),
-- $9 mailing_actions text[]
-- -> runs bigint, in_flight bigint
with person as materialized (  -- the texts of the persons who are being erased
  select coalesce(array_agg(w.word), '{}') as words
  from customer_erasures c, unnest(c.emails || c.words || c.record_words) w (word) where c.business_id = $1
), found as materialized (
  select r.guid, r.action, r.status from run_queue r
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and (r.status <> 'waiting' or r.status = 'waiting')
    and r.guid > $6::uuid and r.guid <= $7::uuid
    and ((r.action <> all ($8::text[]) or r.steps is not null)
         and (r.request <> 'null' or r.status = 'running')
         or r.error is not null or r.steps::jsonb is distinct from erased_steps(r.steps)::jsonb
         or r.tries::jsonb is distinct from erased_tries(r.tries)::jsonb)
    and
\ir run_times.inc
), held as materialized (
  select q.guid,
         case when q.action = any ($9::text[]) and q.trigger_code <> 'digest' and q.steps is null
           then q.attempts > 0 or q.request <> 'null' and not exists (
                  select from json_array_elements_text(q.request::json -> 'to') a (address)
                  where lower(coalesce(substring(a.address from '<([^<>]*)>$'), a.address)) <> all ((select words from person)::text[]))
           else false end as ends
  from run_queue q join found f on f.guid = q.guid
  where q.business_id = $1 and q.status <> 'running' for update of q skip locked
), met as materialized (
  select q.guid from run_queue q join found f on f.guid = q.guid
  where q.business_id = $1 and q.status = 'running' and q.steps is not null and q.erased is null for update of q skip locked
), marked as (
  update run_queue q set erased = true from met m where q.business_id = $1 and q.guid = m.guid
), gone as (
  delete from run_queue q using held h
  where q.business_id = $1 and q.guid = h.guid
    and (h.ends or uses_answer(q.steps, step_number(q.steps), false))
  returning q.*
), moved as (
  insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                    status, code, error, attempts, created_at, finished_at, origin, replay_of, destination, request, body,
                    tries, steps)
  select business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action, 'skipped',
         'ERASED', null, attempts, created_at, now(), origin, replay_of, destination, 'null', null, erased_tries(tries),
         erased_steps(steps)
  from gone
  returning business_id, created_at, workflow_id, status
), counted as (
  insert into run_counts (business_id, unit, start, workflow_id, status, runs)
  select business_id, unit, date_trunc(unit, created_at, 'UTC'), workflow_id, status, count(*)
  from moved, unnest(array['day', 'hour']) unit group by 1, 2, 3, 4, 5
), changed as (
  update run_queue q
  set request = case when q.action = any ($8::text[]) and q.steps is null then q.request else 'null' end,
      body = null, error = null, tries = erased_tries(q.tries), steps = erased_steps(q.steps), erased = null
  from held h where q.business_id = $1 and q.guid = h.guid and not h.ends
    and uses_answer(q.steps, step_number(q.steps), false) is not true
  returning 1
), texts as (
  delete from run_step_texts t using run_queue r
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and (r.status <> 'waiting' or r.status = 'waiting')
    and r.guid > $6::uuid and r.guid <= $7::uuid
    and (r.steps is not null or r.entity_id = $3::uuid) and t.business_id = $1 and t.origin in (r.guid, r.origin)
    and (r.trigger_code <> 'digest' or t.number > 0)  -- see erase_digest_lists.sql
    and
\ir run_times.inc
), addresses as (
  delete from mail_addresses m using run_queue r
  where r.business_id = $1 and r.entity_id = any ($2::uuid[]) and (r.status <> 'waiting' or r.status = 'waiting')
    and r.guid > $6::uuid and r.guid <= $7::uuid
    and m.business_id = $1 and m.run = r.guid and m.at = guid_time(r.guid)
    and
\ir run_times.inc
)
select (select count(*) from moved) + (select count(*) from changed) as runs,
       (select count(*) from found) - (select count(*) from held) as in_flight
