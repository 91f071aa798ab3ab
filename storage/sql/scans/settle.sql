-- Gives stored scans of a locked shipment the facts that the list of their gateway tells.
-- $1 business uuid, $2 shipment uuid, $3 external_ids text[], $4 statuses text[], $5 times timestamptz[],
-- $6 moves text[] (boolean), $7 tells text[] (boolean), $8 read_times timestamptz[]
update shipment_traces t
set status = e.status, at = e.at, is_move = e.is_move::boolean, tells_status = e.tells::boolean, read_at = e.read_at
from unnest($3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::timestamptz[])
     e (external_id, status, at, is_move, tells, read_at)
where t.business_id = $1::uuid and t.shipment_id = $2::uuid and t.external_id = e.external_id
  and (t.status, t.at, t.is_move, t.tells_status, t.read_at)
      is distinct from (e.status, e.at, e.is_move::boolean, e.tells::boolean, e.read_at)
