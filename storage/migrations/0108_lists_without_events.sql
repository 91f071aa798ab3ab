-- An erasure leaves events out of the list of a digest's run: those of the person's records, and those of records that were the
-- person's at the time. A list without items forgets its value, which can be the person's address.
create function list_without_events(list text, events bigint[]) returns text language sql immutable as $$
  select json_build_object('count', count(i.item), 'items', coalesce(json_agg(i.item order by i.n) filter (where i.item is not null), '[]'),
                           'by', case when count(i.item) > 0 then list::json -> 'by' end)::text
  from (select 1) one
  left join json_array_elements(list::json -> 'items') with ordinality i (item, n)
    on (i.item #>> '{event,id}')::bigint <> all (events) $$;
