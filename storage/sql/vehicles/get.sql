-- Returns a vehicle.
-- $1 business, $2 vehicle
select
\ir answer.inc
where v.business_id = $1 and v.guid = $2 and v.deleted_at is null
