-- Changes the given columns of a shipment, without waiting for locks. Returns no row if it does not exist; otherwise
-- the kind of the result (made, locked: another transaction holds it, closed: it is final, or its label locks it, and it keeps
-- the carrier's number and link, invalid: a value is not valid) and its reason. Nothing changes unless the kind is made.
-- $1 business uuid, $2 record uuid, $3 changes jsonb (by column; metadata by key), $4 added_tags text[],
-- $5 removed_tags text[], $6 cause text
-- -> kind text, error text or null, ...
with existing as materialized (
  select guid from shipments where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), held as materialized (
  select r as old from shipments r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null for no key update skip locked
), merged as materialized (
  select held.old, n as new, changed_tags((held.old).tags, $4::text[], $5::text[]) as tags,
         -- An address that equals the one made from the carrier's pattern is not stored.
         nullif(n.carrier_tracking_url, (
           select tracking_url(k.tracking_url_pattern, n.carrier_tracking_number) from carriers k
           where k.business_id in ($1::uuid, catalogue_business()) and k.guid = n.carrier_id)) as url
  from held, jsonb_populate_record(held.old, merged_changes((held.old).metadata, $3::jsonb)) n
), verdict as materialized (
  select m.*, case
    when ((m.old).status in ('delivered', 'returned', 'cancelled') or label_locks((m.old).label_status))
         and ((m.new).carrier_tracking_number, m.url)
             is distinct from ((m.old).carrier_tracking_number, (m.old).carrier_tracking_url)
      then 'closed: ' || case when label_locks((m.old).label_status) then 'the label of the shipment is ' || (m.old).label_status
                              else 'the shipment is ' || (m.old).status end
\ir own_data_limits.inc
    else 'made' end as result
  from merged m
), changed as (
  update shipments r
  set
\columns assign shipments.settable (v.new) except carrier_tracking_url
      , carrier_tracking_url = v.url, tags = v.tags, metadata = (v.new).metadata
  from verdict v
  where v.result = 'made' and r.business_id = $1::uuid and r.guid = $2::uuid
    and (
\columns values shipments.settable r except carrier_tracking_url
         , r.carrier_tracking_url, r.tags, r.metadata
        ) is distinct from (
\columns values shipments.settable (v.new) except carrier_tracking_url
         , v.url, v.tags, (v.new).metadata
        )
)
\ir verdict.inc
