-- Returns the number of the next events of records, at most a limit, and the id of the last of them. `offset 0` lets the
-- index on the record find them.
-- $1 business uuid, $2 records uuid[], $3 after bigint, $4 limit bigint
-- -> events bigint, last bigint
select count(*) as events, coalesce(max(id), $3::bigint) as last
from (select id
      from (select id from events where business_id = $1 and entity_id = any ($2::uuid[]) and id > $3::bigint offset 0) e
      order by id limit $4::bigint) e
