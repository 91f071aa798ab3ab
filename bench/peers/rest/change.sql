-- Changes order $2 of business $1 and writes the event, in one statement: moves it to status $3, or stores the notes $4 if $3
-- is null. No row: no such order or move.
with changed as (
  update peer.orders set status = coalesce($3, status), notes = coalesce($4, notes), updated_at = now()
  where business_id = $1 and guid = $2 and deleted_at is null
    and ($3::text is null
         or $3 = any(case status when 'draft' then '{pending,cancelled}'::text[]
                                 when 'pending' then '{processing,ready,shipped,cancelled}'
                                 when 'processing' then '{pending,ready,shipped,cancelled}'
                                 when 'ready' then '{processing,shipped,cancelled}'
                                 when 'shipped' then '{delivered}' end))
  returning business_id, guid, order_number, status, updated_at
), written as (
  insert into peer.outbox (business_id, entity_id, type, payload)
  select business_id, guid, case when $3 is null then 'order_updated' else 'order_status_changed' end,
         json_build_object('status', status, 'orderNumber', order_number)
  from changed
)
select json_build_object('data', json_build_object('guid', guid, 'orderNumber', order_number, 'status', status,
                                                   'updatedAt', updated_at), 'success', true)::text as answer
from changed
