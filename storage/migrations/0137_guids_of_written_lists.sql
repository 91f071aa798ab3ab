-- Contacts and references of customers and variants of products that SQL writes get guids, as items of orders do. So the API
-- can change and remove each. Rows that were written before stay as they are, because each correction is an event.

-- Gives each item without a guid one: that of the equal item before, else that of the item with the same SKU, description, name
-- or value in the same place, else a new one. So writing the same items again changes nothing.
create or replace function items_with_guids(items jsonb, before jsonb) returns jsonb
language plpgsql set search_path to pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(items) <> 'array' then  -- a constraint refuses it
    return items;
  end if;
  if not exists (select from jsonb_array_elements(items) i
                 where jsonb_typeof(i.value) = 'object' and i.value ->> 'guid' is null) then
    return items;
  end if;
  if jsonb_typeof(before) is distinct from 'array' then
    return (select jsonb_agg(case when jsonb_typeof(i.item) = 'object' and i.item ->> 'guid' is null
                                  then i.item || jsonb_build_object('guid', gen_random_uuid()) else i.item end order by i.place)
            from jsonb_array_elements(items) with ordinality i (item, place));
  end if;
  -- Grouped instead of joined: the planner believes the lists to be short, and a join would compare all pairs.
  return (
    with given as materialized (
      select i.place, jsonb_strip_nulls(i.item) as content
      from jsonb_array_elements(items) with ordinality i (item, place)
      where jsonb_typeof(i.item) = 'object' and i.item ->> 'guid' is null
    ), known as materialized (
      select k.place, k.item ->> 'guid' as guid, jsonb_strip_nulls(k.item) - 'guid' as content
      from jsonb_array_elements(before) with ordinality k (item, place)
      where jsonb_typeof(k.item) = 'object' and k.item ->> 'guid' is not null
        and k.item ->> 'guid' not in (select i.value ->> 'guid' from jsonb_array_elements(items) i
                                      where jsonb_typeof(i.value) = 'object' and i.value ->> 'guid' is not null)
    ), equal as materialized (
      select max(c.given_place) as place, max(c.guid) as guid
      from (select g.place as given_place, null as guid, g.content, row_number() over (partition by g.content order by g.place) as copy
            from given g
            union all
            select null, k.guid, k.content, row_number() over (partition by k.content order by k.place) from known k) c
      group by c.content, c.copy having count(c.given_place) = 1 and count(c.guid) = 1
    ), in_place as materialized (
      select p.place, max(p.guid) as guid
      from (select g.place, null as guid, g.content ->> 'sku' as sku, g.content ->> 'description' as description,
                   g.content ->> 'name' as name, g.content ->> 'value' as value,
                   null as known_sku, null as known_description, null as known_name, null as known_value
            from given g
            union all
            select k.place, k.guid, null, null, null, null, k.content ->> 'sku', k.content ->> 'description',
                   k.content ->> 'name', k.content ->> 'value'
            from known k) p
      group by p.place
      having max(p.sku) = max(p.known_sku) or max(p.description) = max(p.known_description)
        or max(p.name) = max(p.known_name) or max(p.value) = max(p.known_value)
    ), named as materialized (
      select n.place, coalesce(max(n.guid) filter (where n.is_equal), max(n.guid) filter (where n.guid not in (select guid from equal)),
                               gen_random_uuid()::text) as guid
      from (select place, guid, true as is_equal from equal
            union all select place, guid, false from in_place
            union all select place, null, false from given) n
      group by n.place
    )
    select jsonb_agg(case when n.guid is null then i.item else i.item || jsonb_build_object('guid', n.guid) end order by i.place)
    from jsonb_array_elements(items) with ordinality i (item, place)
    left join named n on n.place = i.place);
end $$;

do $migration$
declare
  form record;
  definition text;
  finished text;
begin
  for form in select * from (values
    ('limit_customers()', 'contacts'),
    ('limit_customers()', 'reference_list'),
    ('limit_products()', 'variants')
  ) f (name, list) loop
    definition := pg_get_functiondef(('@schema@.' || form.name)::regprocedure);
    finished := replace(definition, E'\n  return new;\nend', replace($$
  if coalesce(old.LIST, '[]') operator(pg_catalog.<>) new.LIST then
    new.LIST := @schema@.items_with_guids(new.LIST, old.LIST);
  end if;$$, 'LIST', form.list) || E'\n  return new;\nend');
    if finished = definition then
      raise exception '% does not end as expected', form.name;
    end if;
    execute finished;
  end loop;
end $migration$;
