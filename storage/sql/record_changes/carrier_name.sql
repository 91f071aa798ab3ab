-- Returns the name of a carrier, also of a deleted one.
-- $1 business uuid, $2 carrier uuid
-- -> name text
select k.name from carriers k where k.business_id in ($1::uuid, catalogue_business()) and k.guid = $2::uuid limit 1
