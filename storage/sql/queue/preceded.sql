-- Returns the positions of ordered runs that are not in the queue and that a run there keeps waiting (may_go.inc).
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 events bigint[],
-- $5 ordered_from bigint[] (where the search for earlier runs ends, or the least number)
-- -> position bigint
select q.position
from (select u.*, true as ordered, null::uuid as replay_of, ''::text as action, null::text as changing_action
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[]) with ordinality
        u (business_id, workflow_id, entity_id, event_id, ordered_from, position)) q,
\ir may_go.inc
where not rule.may_go
