-- What SQL writes gets the form that requests store. So it is found, and a request can send it back: numbers of parcels have no
-- blanks; order numbers, references, SKUs and tags have none around them; a text or list that stands for none is null; each item
-- has a guid. Sessions of waybill itself store these forms already, and are left out, as they are by the limits.

-- The blanks are those of base/blanks.hpp, without rare ones of some scripts. A value that a row has already stays as it is.
create function written_number(before text, value text) returns text language sql immutable
return case when value = before then value
            else nullif(regexp_replace(value, '[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]',
                                       '', 'g'), '') end;

-- A code has no invisible characters, and one space for each run of blanks inside.
create function written_code(before text, value text) returns text language sql immutable
return case when value = before then value
            else nullif(btrim(regexp_replace(
                   regexp_replace(value, '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]', '', 'g'),
                   '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'), ' '), '') end;

create function written_email(before text, value text) returns text language sql immutable
return case when value = before or written_number(null, value) is not null then value end;

create function written_tags(before jsonb, tags jsonb) returns jsonb language sql immutable
return case when jsonb_typeof(tags) <> 'array' or tags = before then tags
            when tags = '[]' then null
            else (select jsonb_agg(case jsonb_typeof(t.tag) when 'string' then to_jsonb(regexp_replace(regexp_replace(t.tag #>> '{}',
                    '^[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+', ''),
                    '[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+$', ''))
                    else t.tag end order by t.place)
                  from jsonb_array_elements(tags) with ordinality t (tag, place)) end;

-- Gives each item without a guid one: that of the equal item before, else that of the item with the same SKU or description in
-- the same place, else a new one. So writing the same items again changes nothing.
create function items_with_guids(items jsonb, before jsonb) returns jsonb
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
                   null as known_sku, null as known_description
            from given g
            union all
            select k.place, k.guid, null, null, k.content ->> 'sku', k.content ->> 'description' from known k) p
      group by p.place having max(p.sku) = max(p.known_sku) or max(p.description) = max(p.known_description)
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

revoke execute on function written_number(text, text), written_code(text, text), written_email(text, text),
  written_tags(jsonb, jsonb), items_with_guids(jsonb, jsonb) from public;

-- Adds the forms to the functions that check what SQL writes: the triggers call these already, and a further one would cost each
-- writer. Names and operators are qualified, as in the rest of these functions.
do $migration$
declare
  own_data constant text := $$
  new.external_reference := @schema@.written_code(old.external_reference, new.external_reference);
  new.tags := @schema@.written_tags(old.tags, new.tags);$$;
  form record;
  definition text;
  finished text;
begin
  for form in select * from (values
    ('limit_customers()', own_data || $$
  new.email := @schema@.written_email(old.email, new.email);$$),
    ('limit_orders()', own_data || $$
  new.order_number := coalesce(@schema@.written_code(old.order_number, new.order_number), new.order_number);
  new.delivery_email := @schema@.written_email(old.delivery_email, new.delivery_email);
  if coalesce(old.items::pg_catalog.text, '') operator(pg_catalog.<>) new.items::pg_catalog.text then
    new.items := @schema@.items_with_guids(new.items::pg_catalog.jsonb, old.items::pg_catalog.jsonb);
  end if;$$),
    ('limit_products()', own_data || $$
  new.sku := @schema@.written_code(old.sku, new.sku);$$),
    ('limit_shipments()', own_data || $$
  new.tracking_number := coalesce(@schema@.written_number(old.tracking_number, new.tracking_number), new.tracking_number);
  new.carrier_tracking_number := @schema@.written_number(old.carrier_tracking_number, new.carrier_tracking_number);
  new.recipient_email := @schema@.written_email(old.recipient_email, new.recipient_email);$$)
  ) f (name, assignments) loop
    definition := pg_get_functiondef(('@schema@.' || form.name)::regprocedure);
    finished := replace(definition, E'\n  return new;\nend', form.assignments || E'\n  return new;\nend');
    if finished = definition then
      raise exception '% does not end as expected', form.name;
    end if;
    execute finished;
  end loop;
end $migration$;
