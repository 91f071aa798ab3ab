-- Events of business $1 and entity type $2 from $3 on and before $4, behind the record $5 and its event $6, $7 at most; by
-- record, because that is how the index finds a business's events.
select
\ir ../outbox/event.inc
from events e
where e.business_id = $1::uuid and e.entity_type = $2::smallint and e.at >= $3::timestamptz and e.at < $4::timestamptz
  and (e.entity_id, e.id) > ($5::uuid, $6::bigint)
order by e.entity_id, e.id
limit $7::bigint
