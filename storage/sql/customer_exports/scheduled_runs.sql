-- Returns the runs of schedules and digests, oldest first, whose messages name one of some records or hold an e-mail
-- address of a person, without the messages: these show other persons, too.
-- $1 business uuid, $2 records uuid[], $3 emails text[] (in lower case), $4 no_record uuid
select r.guid, r.workflow_id as "workflowId", r.action, r.status, r.code, r.created_at as "createdAt",
       r.finished_at as "finishedAt"
from all_runs r
cross join lateral (
  select concat(r.request, r.body) as text
  union all
  select concat(t.request, t.body) from run_step_texts t
  where (r.steps is not null or r.trigger_code = 'digest') and t.business_id = r.business_id
    and t.origin in (r.guid, r.origin) and t.at in (guid_time(r.guid), guid_time(r.origin))
) m
where r.business_id = $1 and r.entity_id = $4::uuid
  and (holds_word(m.text, $3::text[])
       or exists (select from regexp_matches(m.text, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') g (part)
                  where g.part[1]::uuid = any ($2::uuid[])))
group by r.guid, r.workflow_id, r.action, r.status, r.code, r.created_at, r.finished_at
order by r.guid
