-- Returns whether one of some carriers is unknown to a business, and whether no order has one of some items.
-- $1 business uuid, $2 carriers uuid[], $3 items text[]
-- runs: long
-- -> lacks_carrier boolean, lacks_item boolean
select exists (select from unnest($2::uuid[]) w (carrier)
               where not exists (select from carriers k
                                 where k.business_id in ($1, catalogue_business()) and k.guid = w.carrier
                                   and k.deleted_at is null)) as lacks_carrier,
       cardinality($3::text[]) > 0
       and (select count(distinct i.item ->> 'guid') from orders o cross join json_array_elements(o.items) i (item)
            where o.business_id = $1 and o.deleted_at is null and i.item ->> 'guid' = any ($3::text[]))
           < cardinality($3::text[]) as lacks_item
