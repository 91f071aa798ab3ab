-- Returns the texts that a step of a run was sent with before: by the run that it replays, or else by the one that this run
-- replays, and so on to the first. The row of a run has the texts of its last step with texts; those of steps that were over are
-- apart. The search ends at a run that has performed the step $5 itself: the runs before it had other values of this step. No run
-- is created a day before the time in its guid.
-- $1 business uuid, $2 origin uuid, $3 replay_of uuid, $4 number int, $5 last_used int (the last earlier step whose values the
-- step uses; 0: none)
-- -> request text, body text or null
with recursive looked (next, request, body) as (
  select $3::uuid, null::text, null::text
  union all
  select case when l.next <> $2::uuid and coalesce(r.first, $5::integer + 1) > $5::integer then coalesce(r.replay_of, $2::uuid) end,
         t.request, t.body
  from looked l
  left join lateral (
    select replay_of, (steps::json ->> 'from')::integer as first,
           request <> 'null' and step_of_texts(action, steps) = $4::integer as has_texts, request, body
    from all_runs
    where business_id = $1::uuid and guid = l.next and created_at >= guid_time(l.next) - interval '1 day'
    limit 1) r on true
  left join lateral (
    select r.request, r.body where r.has_texts
    union all
    select k.request, k.body from run_step_texts k
    where k.business_id = $1::uuid and k.origin = l.next and k.at = guid_time(l.next) and k.number = $4::integer
    limit 1) t on true
  where l.request is null and l.next is not null
)
select request, body from looked where request is not null
