-- Returns whether the customer exists, the codes of the carrier's service levels (null if it does not exist),
-- and the existing products by guid.
-- $1 business uuid, $2 customer uuid or null, $3 carrier uuid or null, $4 products uuid[] or null
-- -> customer_exists boolean, levels jsonb or null, products json or null
select
  exists (select from customers c where c.business_id = $1 and c.guid = $2::uuid and c.deleted_at is null)
    as customer_exists,
  (select coalesce(jsonb_path_query_array(k.service_levels, '$[*].code'), '[]') from carriers k
   where k.business_id in ($1, catalogue_business()) and k.guid = $3::uuid and k.deleted_at is null) as levels,
  (select json_object_agg(p.guid, json_build_object('name', p.name, 'sku', p.sku, 'price', p.price, 'dimensions',
            case when coalesce(p.length, p.width, p.height, p.weight) is not null
              then json_build_object('length', p.length, 'width', p.width, 'height', p.height, 'weight', p.weight) end))
   from products p where p.business_id = $1 and p.guid = any($4::uuid[]) and p.deleted_at is null) as products
