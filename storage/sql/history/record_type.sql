-- Returns the entity type of a record. No row if the record does not exist.
-- $1 business uuid, $2 record uuid
-- -> entity_type int
select t.entity_type
from (select 0 as entity_type from orders where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
      union all
      select 1 from shipments where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
      union all
      select 2 from customers where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
      union all
      select 3 from products where business_id = $1::uuid and guid = $2::uuid and deleted_at is null) t
