-- Returns a vehicle.
-- $1 business uuid, $2 vehicle uuid
select
\ir answer.inc
where v.business_id = $1 and v.guid = $2 and v.deleted_at is null
