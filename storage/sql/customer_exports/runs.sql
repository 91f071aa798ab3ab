-- Returns the runs of records, oldest first, with what they send, and the answers that their steps received.
-- $1 business uuid, $2 records uuid[]
select r.guid, r.workflow_id as "workflowId", r.entity_id as "entityId", r.trigger_code as trigger, r.action, r.status, r.code,
       r.created_at as "createdAt", r.finished_at as "finishedAt",
       shown_request(r.business_id, r.action, r.request::json, r.body) as request,
       (select json_agg(json_build_object('number', t.number, 'request', shown_request(t.business_id, s ->> 'type', t.request::json, t.body))
                        order by t.number)
        from json_array_elements(r.steps::json -> 'results') s
        cross join lateral (
          select k.business_id, k.number, k.request, k.body from run_step_texts k
          where k.business_id = r.business_id and k.origin = r.guid and k.at = guid_time(r.guid)
            and k.number = (s ->> 'number')::integer
          union all  -- of the first run, or of a replay that an earlier version has performed
          select k.business_id, k.number, k.request, k.body from run_step_texts k
          where r.origin <> r.guid and k.business_id = r.business_id and k.origin = r.origin and k.at = guid_time(r.origin)
            and k.number = (s ->> 'number')::integer
          limit 1) t) as "earlierSteps",
       (select json_object_agg(s ->> 'name', s -> 'answer') from json_array_elements(r.steps::json -> 'results') s
        where json_typeof(s -> 'answer') = 'object') as answers
from all_runs r
where r.business_id = $1 and r.entity_id = any ($2::uuid[])
order by r.guid
