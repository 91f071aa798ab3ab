-- Changes the given columns of an order that is not shipped yet, without waiting for locks. Returns no row if it does
-- not exist; otherwise the kind of the result (made, locked: another transaction holds it, closed: it is shipped,
-- invalid: a value is not valid) and its reason. Nothing changes unless the kind is made.
-- $1 business uuid, $2 record uuid, $3 changes jsonb (by column; metadata by key), $4 added_tags text[],
-- $5 removed_tags text[], $6 cause text
-- -> kind text, error text or null, ...
with existing as materialized (
  select guid from orders where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), held as materialized (
  select r as old from orders r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null for no key update skip locked
), merged as materialized (
  select held.old, n as new, changed_tags((held.old).tags, $4::text[], $5::text[]) as tags,
         (select coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') from carriers k
          where k.business_id in ($1::uuid, catalogue_business()) and k.guid = n.carrier_id and k.deleted_at is null)
           as levels
  from held, jsonb_populate_record(held.old, merged_changes((held.old).metadata, $3::jsonb)) n
), verdict as materialized (
  select m.*, case
    when (m.old).status in ('shipped', 'delivered') then 'closed: the order is ' || (m.old).status
    when (m.new).carrier_id is distinct from (m.old).carrier_id and (m.new).carrier_id is not null and m.levels is null
      then 'invalid: carrierId names no carrier'
    when ((m.new).carrier_id, (m.new).service_level) is distinct from ((m.old).carrier_id, (m.old).service_level)
         and m.levels is not null and not m.levels ? (m.new).service_level
      then 'invalid: serviceLevel must be one of the carrier''s service levels: ' || m.levels::text
\ir own_data_limits.inc
    else 'made' end as result
  from merged m
), changed as (
  update orders r
  set
\columns assign orders.settable (v.new)
      , tags = v.tags, metadata = (v.new).metadata
  from verdict v
  where v.result = 'made' and r.business_id = $1::uuid and r.guid = $2::uuid
    and (
\columns values orders.settable r
         , r.tags, r.metadata
        ) is distinct from (
\columns values orders.settable (v.new)
         , v.tags, (v.new).metadata
        )
)
\ir verdict.inc
