-- Returns a page of a business's purchases as answers show them, the newest first, of one status and carrier, if given, and
-- of a time of request. One of the four searches runs, each with its index.
-- $1 business uuid, $2 status text or null, $3 carrier uuid or null, $4 begin timestamptz or null,
-- $5 finish timestamptz or null (not included), $6 most bigint, $7 passed bigint
with page as materialized (
  (select guid, requested_at from purchases
   where $2::text is null and $3::uuid is null and business_id = $1::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is not null and $3::uuid is null and business_id = $1::uuid
     and status = (case $2::text when 'void_refused' then 'bought' when 'void_unknown' then 'voiding' else $2::text end)
     and purchase_status(status, void_state, lookups) = $2::text
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is null and $3::uuid is not null and business_id = $1::uuid and carrier_id = $3::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
  union all
  (select guid, requested_at from purchases
   where $2::text is not null and $3::uuid is not null and business_id = $1::uuid
     and status = (case $2::text when 'void_refused' then 'bought' when 'void_unknown' then 'voiding' else $2::text end)
     and purchase_status(status, void_state, lookups) = $2::text
     and carrier_id = $3::uuid
     and requested_at >= coalesce($4::timestamptz, '-infinity') and requested_at < coalesce($5::timestamptz, 'infinity')
   order by requested_at desc, guid desc limit $6::bigint offset $7::bigint)
)
select
\ir answer.inc
from page g
join purchases p on p.business_id = $1::uuid and p.guid = g.guid
order by p.requested_at desc, p.guid desc
