-- Returns the existing ones of the customers (an array of guids), carriers (the codes of the service levels by guid) and
-- products. The planner does not look into the subselects, so the plan is made once.
-- $1 business uuid, $2 customers uuid[], $3 carriers uuid[], $4 products uuid[]
-- -> customers json or null, carriers json or null, products json or null
select
  (select json_agg(c.guid) from customers c
   where c.business_id = $1 and c.guid = any((select $2::uuid[])::uuid[]) and c.deleted_at is null) as customers,
  (select json_object_agg(k.guid, coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]')) from carriers k
   where k.business_id in ($1, catalogue_business()) and k.guid = any((select $3::uuid[])::uuid[]) and k.deleted_at is null) as carriers,
  (select json_object_agg(p.guid, json_build_object('name', p.name, 'sku', p.sku, 'price', p.price, 'dimensions',
            case when coalesce(p.length, p.width, p.height, p.weight) is not null
              then json_build_object('length', p.length, 'width', p.width, 'height', p.height, 'weight', p.weight) end))
   from products p where p.business_id = $1 and p.guid = any((select $4::uuid[])::uuid[]) and p.deleted_at is null) as products
