-- Returns a page of customers, each row preceded by the total: by default the newest fifty.
-- api/records/list.cpp inserts the parts of a request in the marked places.
-- $1 business uuid
select
  /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 2)/*end*/,
  r.guid, r.name, r.email, r.phone, r.company, r.street as "address.street", r.city as "address.city",
  r.state as "address.state", r.postal_code as "address.postalCode", r.country as "address.country",
  r.external_reference as "externalReference", r.tags, r.metadata
from (/*rows*/select r.*/*end*/ from customers r
      where r.business_id = $1 and r.deleted_at is null/*where*/
      order by /*order*/r.created_at desc, r.guid desc/*end*/
      /*page*/limit 50/*end*/) r
order by /*order*/r.created_at desc, r.guid desc/*end*/
