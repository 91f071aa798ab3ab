-- Items, packages, contacts, references, variants and customs data that SQL writes get the members that they lack, as null. So
-- answers, events and exports, which copy the stored text, have every field. Rows that were written before stay as they are,
-- because each correction is an event; the next change of such a list completes it.

-- Adds the members that an object of the list lacks; those of its object "dimensions" if `members` has that object.
create function with_members(list jsonb, members jsonb) returns jsonb
language plpgsql immutable set search_path to pg_catalog, pg_temp as $$
begin
  if list = '[]' or jsonb_typeof(list) is distinct from 'array' then  -- a constraint refuses the latter
    return list;
  end if;
  return (select jsonb_agg(case when jsonb_typeof(e.entry) <> 'object' then e.entry
                                else case when jsonb_typeof(members -> 'dimensions') = 'object'
                                          then members || '{"dimensions": null}' else members end
                                     || e.entry
                                     || case when jsonb_typeof(members -> 'dimensions') = 'object'
                                               and jsonb_typeof(e.entry -> 'dimensions') = 'object'
                                             then jsonb_build_object('dimensions',
                                                                     (members -> 'dimensions') || (e.entry -> 'dimensions'))
                                             else '{}' end end
                           order by e.place)
          from jsonb_array_elements(list) with ordinality e (entry, place));
end $$;

revoke execute on function with_members(jsonb, jsonb) from public;

-- As before, but dimensions that the element did not have get all their members.
create or replace function changed_element(element jsonb, change jsonb) returns jsonb language sql immutable as $$
  select element || change ||
         case when jsonb_typeof(change -> 'dimensions') = 'object'
           then jsonb_build_object('dimensions', '{"length": null, "width": null, "height": null}'
                  || case when jsonb_typeof(element -> 'dimensions') = 'object' then element -> 'dimensions' else '{}' end
                  || (change -> 'dimensions'))
           else '{}' end $$;

do $migration$
declare
  form record;
  definition text;
  finished text;
begin
  for form in select * from (values
    ('limit_customers()', $$new.contacts := @schema@.items_with_guids(new.contacts, old.contacts);$$, $$
    new.contacts := @schema@.with_members(new.contacts, '{"name": null, "email": null, "phone": null, "role": null}');$$),
    ('limit_customers()', $$new.reference_list := @schema@.items_with_guids(new.reference_list, old.reference_list);$$, $$
    new.reference_list := @schema@.with_members(new.reference_list, '{"type": null, "value": null}');$$),
    ('limit_orders()', $$new.items := @schema@.items_with_guids(new.items::pg_catalog.jsonb, old.items::pg_catalog.jsonb);$$, $$
    new.items := @schema@.with_members(new.items::pg_catalog.jsonb, '{"description": null, "sku": null, "productId": null,
      "quantity": null, "price": null, "dimensions": {"length": null, "width": null, "height": null, "weight": null}}');$$),
    ('limit_products()', $$new.variants := @schema@.items_with_guids(new.variants, old.variants);$$, $$
    new.variants := @schema@.with_members(new.variants, '{"name": null, "sku": null, "priceDifference": null, "weight": null,
      "dimensions": {"length": null, "width": null, "height": null}}');$$),
    ('limit_shipments()', E'\n  return new;\nend', $$
  if coalesce(old.packages, '[]') operator(pg_catalog.<>) new.packages then
    new.packages := @schema@.with_members(new.packages, '{"length": null, "width": null, "height": null, "weight": null}');
  end if;$$),
    ('limit_customs()', E'\n  return new;\nend', $$
  if pg_catalog.jsonb_typeof(new.customs) operator(pg_catalog.=) 'object'
     and old.customs operator(pg_catalog.=) new.customs is not true then
    entries := new.customs operator(pg_catalog.->) 'items';
    if coalesce(pg_catalog.jsonb_typeof(entries), 'null') operator(pg_catalog.=) 'null' then entries := '[]'; end if;
    new.customs := '{"contents": null, "incoterm": null}'::pg_catalog.jsonb operator(pg_catalog.||) new.customs
      operator(pg_catalog.||) pg_catalog.jsonb_build_object('items', @schema@.with_members(entries, '{"description": null,
        "quantity": null, "value": null, "currency": null, "weight": null, "hsCode": null, "originCountry": null}'));
  end if;$$)
  ) f (name, place, statements) loop
    definition := pg_get_functiondef(('@schema@.' || form.name)::regprocedure);
    finished := case when form.place like E'\n%' then replace(definition, form.place, form.statements || form.place)
                     else replace(definition, form.place, form.place || form.statements) end;
    if finished = definition then
      raise exception '% does not have %', form.name, form.place;
    end if;
    if form.name = 'limit_customs()' then
      finished := replace(finished, E'\nbegin\n', E'\ndeclare\n  entries pg_catalog.jsonb;\nbegin\n');
    end if;
    execute finished;
  end loop;
end $migration$;
