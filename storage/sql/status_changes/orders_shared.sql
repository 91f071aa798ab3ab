-- Changes the statuses of the orders whose present status allows it, and returns those orders. An order that another
-- transaction has locked is left out, so that the others do not wait.
-- $1 business uuid, $2 moves json (an array of objects with the parameters of order.sql by name)
-- -> guid uuid
with moves as materialized (
  select m.* from json_to_recordset($2::json) as m ("order" uuid, status text, allowed_from text[])
), free as materialized (
  select o.guid, m.status from moves m join orders o on o.business_id = $1 and o.guid = m."order"
  where o.deleted_at is null and o.status = any (m.allowed_from) and o.status <> m.status
  for no key update of o skip locked
)
update orders o set status = f.status from free f
where o.business_id = $1 and o.guid = f.guid
returning o.guid
