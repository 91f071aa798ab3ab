-- Totals of the records that have a frequent value of own data (docs/decisions/0100-totals-of-own-data.md).
--
-- The steps run outside a transaction, so none of them keeps writers waiting for long. A migration that was interrupted runs
-- all of them again.

-- @step
-- A value that many records of a business have, as own_values writes it. Without a row, readers count. Only the duty
-- fold_counts writes, under a lock of the table.
create table if not exists own_data_totals (
  business_id  uuid not null,
  entity_type  smallint not null,
  value        text collate "C" not null,
  total        bigint,       -- of the records without the rows of own_data_changes; null: not yet counted
  newest_at    timestamptz,  -- with a total: no record with the value was created later, apart from those rows
  primary key (business_id, entity_type, value)
);
create index if not exists own_data_totals_uncounted on own_data_totals (business_id) where total is null;

-- The values that a change added to a record, and those that it removed. Writers add rows, and the duty adds them to the totals,
-- so the records with a value are always `total` and the differences in these rows. A change of the time of creation removes and
-- adds all values.
create table if not exists own_data_changes (
  business_id  uuid not null,
  entity_type  smallint not null,
  added        text[] not null,
  removed      text[] not null,
  created_at   timestamptz not null  -- of the record
);
create index if not exists own_data_changes_by_business on own_data_changes (business_id, entity_type);

-- Each value of own data that a filter compares: `r` and the reference, `t` and a tag in lower case, `m` and an object of one
-- key of the metadata. Numbers are without trailing zeros, because 1 and 1.0 are equal. A value of more bytes than an index
-- holds for certain is left out, so it has no total. Its plan is kept, unlike that of a function in SQL.
create or replace function own_values(reference text, tags jsonb, metadata jsonb) returns text[] language plpgsql immutable as $$
begin
  return array(
    select v.value
    from (select 'r' operator(pg_catalog.||) reference as value
          union
          select 't' operator(pg_catalog.||) pg_catalog.lower(t.tag) from pg_catalog.jsonb_array_elements_text(tags) t (tag)
          union
          select 'm' operator(pg_catalog.||) pg_catalog.jsonb_build_object(e.key,
                   case pg_catalog.jsonb_typeof(e.value)
                     when 'number' then pg_catalog.to_jsonb(pg_catalog.trim_scale(e.value::pg_catalog.numeric))
                     else e.value end)::pg_catalog.text
          from pg_catalog.jsonb_each(metadata) e
          where pg_catalog.jsonb_typeof(e.value) operator(pg_catalog.=) any (array['string', 'number', 'boolean'])) v
    where pg_catalog.octet_length(v.value) operator(pg_catalog.<=) 2500);
end $$;

-- The number of records that have a value, by the index of its kind, and the newest time of their creation. The subselect is that of a filter by tags
-- (domain/filter/compiler.cpp).
create or replace function own_data_count(business uuid, type smallint, value text, out records bigint,
                                          out newest_at timestamptz) language plpgsql stable as $$
begin
  execute format('select count(*), max(created_at) from @schema@.%I where business_id = $1 and deleted_at is null and %s',
                 (array['orders', 'shipments', 'customers', 'products'])[type + 1],
                 case left(value, 1) when 'r' then 'external_reference = substr($2, 2)'
                                     when 't' then 'lower_tags(tags) @> array[(select substr($2, 2))]'
                                     else 'metadata @> substr($2, 2)::jsonb' end)
    into records, newest_at using business, value;
end $$;

-- Records the difference that a change makes. Every function and operator is qualified, as in 0009_event_triggers.sql.
create or replace function record_own_data() returns trigger language plpgsql security definer as $$
declare
  before text[] := '{}';
  after text[] := '{}';
begin
  if tg_op operator(pg_catalog.<>) 'INSERT' then
    if old.deleted_at is null then
      before := @schema@.own_values(old.external_reference, old.tags, old.metadata);
    end if;
  end if;
  if tg_op operator(pg_catalog.<>) 'DELETE' then
    if new.deleted_at is null then
      after := @schema@.own_values(new.external_reference, new.tags, new.metadata);
    end if;
  end if;
  if pg_catalog.cardinality(before) operator(pg_catalog.>) 0 and pg_catalog.cardinality(after) operator(pg_catalog.>) 0
     and new.created_at operator(pg_catalog.=) old.created_at then
    insert into @schema@.own_data_changes (business_id, entity_type, added, removed, created_at)
    select new.business_id, tg_argv[0]::pg_catalog.int2, d.added, d.removed, new.created_at
    from (select array(select a.v from pg_catalog.unnest(after) a (v)
                       where (a.v operator(pg_catalog.=) any (before)) is not true) as added,
                 array(select b.v from pg_catalog.unnest(before) b (v)
                       where (b.v operator(pg_catalog.=) any (after)) is not true) as removed) d
    where pg_catalog.cardinality(d.added) operator(pg_catalog.+) pg_catalog.cardinality(d.removed) operator(pg_catalog.>) 0;
  elsif pg_catalog.cardinality(before) operator(pg_catalog.+) pg_catalog.cardinality(after) operator(pg_catalog.>) 0 then
    insert into @schema@.own_data_changes (business_id, entity_type, added, removed, created_at)
    values (coalesce(new.business_id, old.business_id), tg_argv[0]::pg_catalog.int2, after, before,
            coalesce(new.created_at, old.created_at));
  end if;
  return null;
end $$;

revoke execute on function own_values(text, jsonb, jsonb), own_data_count(uuid, smallint, text), record_own_data() from public;

-- @step
-- Once a trigger exists, no transaction is open that has written without it: its lock waits for the writers, and they for it, in
-- each attempt as long as a migration waits for a lock.
create or replace trigger own_data_insert after insert on orders for each row
  when (new.external_reference is not null or new.tags is not null or new.metadata is not null)
  execute function record_own_data(0);
create or replace trigger own_data_update after update on orders for each row
  when (new.tags is distinct from old.tags or new.metadata is distinct from old.metadata
        or new.external_reference is distinct from old.external_reference
        or new.deleted_at is distinct from old.deleted_at or new.created_at is distinct from old.created_at)
  execute function record_own_data(0);
create or replace trigger own_data_delete after delete on orders for each row
  when (old.external_reference is not null or old.tags is not null or old.metadata is not null)
  execute function record_own_data(0);

-- @step
create or replace trigger own_data_insert after insert on shipments for each row
  when (new.external_reference is not null or new.tags is not null or new.metadata is not null)
  execute function record_own_data(1);
create or replace trigger own_data_update after update on shipments for each row
  when (new.tags is distinct from old.tags or new.metadata is distinct from old.metadata
        or new.external_reference is distinct from old.external_reference
        or new.deleted_at is distinct from old.deleted_at or new.created_at is distinct from old.created_at)
  execute function record_own_data(1);
create or replace trigger own_data_delete after delete on shipments for each row
  when (old.external_reference is not null or old.tags is not null or old.metadata is not null)
  execute function record_own_data(1);

-- @step
create or replace trigger own_data_insert after insert on customers for each row
  when (new.external_reference is not null or new.tags is not null or new.metadata is not null)
  execute function record_own_data(2);
create or replace trigger own_data_update after update on customers for each row
  when (new.tags is distinct from old.tags or new.metadata is distinct from old.metadata
        or new.external_reference is distinct from old.external_reference
        or new.deleted_at is distinct from old.deleted_at or new.created_at is distinct from old.created_at)
  execute function record_own_data(2);
create or replace trigger own_data_delete after delete on customers for each row
  when (old.external_reference is not null or old.tags is not null or old.metadata is not null)
  execute function record_own_data(2);

-- @step
create or replace trigger own_data_insert after insert on products for each row
  when (new.external_reference is not null or new.tags is not null or new.metadata is not null)
  execute function record_own_data(3);
create or replace trigger own_data_update after update on products for each row
  when (new.tags is distinct from old.tags or new.metadata is distinct from old.metadata
        or new.external_reference is distinct from old.external_reference
        or new.deleted_at is distinct from old.deleted_at or new.created_at is distinct from old.created_at)
  execute function record_own_data(3);
create or replace trigger own_data_delete after delete on products for each row
  when (old.external_reference is not null or old.tags is not null or old.metadata is not null)
  execute function record_own_data(3);

-- @step
-- The values that a fiftieth of the records has at least forty times; the duty counts them. A value of 4 000 records (worker/duties/
-- counts.cpp) is found eighty times.
insert into own_data_totals (business_id, entity_type, value)
select o.business_id, o.entity_type, v.value
from (select business_id, 0 as entity_type, deleted_at, external_reference, tags, metadata from orders tablesample bernoulli (2)
      union all
      select business_id, 1, deleted_at, external_reference, tags, metadata from shipments tablesample bernoulli (2)
      union all
      select business_id, 2, deleted_at, external_reference, tags, metadata from customers tablesample bernoulli (2)
      union all
      select business_id, 3, deleted_at, external_reference, tags, metadata from products tablesample bernoulli (2)) o
cross join unnest(own_values(o.external_reference, o.tags, o.metadata)) v (value)
where o.deleted_at is null
group by o.business_id, o.entity_type, v.value
having count(*) >= 40
on conflict do nothing;
