-- A page of the products, each row preceded by how many there are: $1 business. As it stands, the newest fifty of all;
-- api/records/list.cpp puts what a call asks for in the marked places.
select
  /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 3)/*end*/,
  r.guid, r.name, r.sku, r.description, r.barcode, r.price, r.cost, r.weight, r.length as "dimensions.length",
  r.width as "dimensions.width", r.height as "dimensions.height", jsonb_array_length(r.variants) as "variantCount"
from (/*rows*/select r.*/*end*/ from products r
      where r.business_id = $1 and r.deleted_at is null/*where*/
      order by /*order*/r.created_at desc, r.guid desc/*end*/
      /*page*/limit 50/*end*/) r
order by /*order*/r.created_at desc, r.guid desc/*end*/
