-- Returns the entity type of a record, which may be deleted; no row if the business has no such record.
-- $1 business uuid, $2 record uuid
-- -> entity_type smallint
select 0::smallint as entity_type from orders where business_id = $1::uuid and guid = $2::uuid
union all
select 1::smallint from shipments where business_id = $1::uuid and guid = $2::uuid
union all
select 2::smallint from customers where business_id = $1::uuid and guid = $2::uuid
union all
select 3::smallint from products where business_id = $1::uuid and guid = $2::uuid
