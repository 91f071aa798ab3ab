-- Returns a page of dispatches, newest first, each row preceded by the total; all or those of a status. An empty page is one
-- row with the total and nulls.
-- runs: long
-- $1 business uuid, $2 limit bigint, $3 offset bigint, $4 status text or null
-- -> total bigint, created_at timestamptz or null, ...
select c.total, e.*
from (select count(*) as total from dispatches
      where business_id = $1 and deleted_at is null and ($4::text is null or status = $4::text)) c
left join lateral (
  select d.created_at,
\ir answer.inc
\ir progress.inc
  from (select * from dispatches
        where business_id = $1 and deleted_at is null and ($4::text is null or status = $4::text)
        order by created_at desc, guid desc limit $2 offset $3) d
\ir progress_of.inc
) e on true
order by e.created_at desc, e.guid desc
