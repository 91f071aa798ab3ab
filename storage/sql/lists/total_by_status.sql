-- Returns the number of a business's records of a type whose status meets conditions, by the maintained numbers.
-- api/records/list_page.cpp inserts the type, and the conditions on either status, in the marked places.
-- $1 business uuid
-- -> total bigint
select coalesce(sum(case when n.status_after is not null/*after*/ then n.records else 0 end
                    - case when n.status_before is not null/*before*/ then n.records else 0 end), 0)::bigint as total
from status_counts n
where n.business_id = $1 and n.entity_type = /*type*/1/*end*/
