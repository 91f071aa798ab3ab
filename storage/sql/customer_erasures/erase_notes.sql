-- Erases the notes of status changes of records, at most a number of them. Returns how many. Without times, the records always
-- were the person's.
-- $1 business uuid, $2 records uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[], $5 limit bigint
-- -> notes bigint
with page as materialized (
  select h.entity_id, h.event_id
  from status_history h
  where h.business_id = $1 and h.entity_id = any ($2::uuid[]) and h.cause ? 'note'
    and (cardinality($3::timestamptz[]) = 0
         or exists (select from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) k (record, first, last)
                    where k.record = h.entity_id and h.at between k.first and k.last))
  limit $5::bigint
), changed as (
  update status_history h set cause = h.cause - 'note' from page p
  where h.business_id = $1 and h.entity_id = p.entity_id and h.event_id = p.event_id
  returning 1
)
select count(*) as notes from changed
