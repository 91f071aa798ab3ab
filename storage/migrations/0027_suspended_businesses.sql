-- Businesses that the operator has suspended or is deleting, and what their export and deletion need.

alter table businesses
  add suspended_at timestamptz,
  add deleting_at timestamptz,  -- the deletion has begun; it cannot be resumed, only finished
  add constraint businesses_deleted_while_suspended check (deleting_at is null or suspended_at is not null);
create index businesses_suspended on businesses (guid) where suspended_at is not null;

-- Workers read which businesses are suspended with the workflows, in the snapshot of the events.
create trigger advance_epoch_of_suspension before update on businesses for each row
  when (old.suspended_at is distinct from new.suspended_at) execute function advance_workflow_epoch();

-- Events of suspended businesses, which are matched when the business is resumed. A worker moves an event here from
-- pending_events, so that it delays no event of another business.
create table suspended_events (
  business_id  uuid not null,
  event_id     bigint not null,
  at           timestamptz not null,  -- time of the event
  primary key (business_id, event_id, at)
);

-- The business whose suspension holds the mail back; null for mails of accounts without one, and of earlier versions.
alter table mail_outbox add business_id uuid;

-- The tables and partitions with a business's rows, each after those that refer to it.
create function business_tables() returns table (name text, place bigint) language sql stable
  set search_path to @schema@, pg_temp as $$
  with recursive owned as (
    select c.oid, c.relname::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> 'businesses'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'business_id' and not a.attisdropped)
  ), refers (oid, depth) as (
    select oid, 0 from owned
    union
    select k.conrelid, r.depth + 1
    from refers r
    join pg_constraint k on k.contype = 'f' and k.confrelid = r.oid and k.conrelid <> r.oid and r.depth < 20
    join owned o on o.oid = k.conrelid
  )
  select o.name, row_number() over (order by max(r.depth) desc, o.name)
  from owned o join refers r using (oid) group by o.name $$;

-- Deletes at most `most` rows of a business from one of these tables and returns their number.
create function delete_rows_of(business uuid, part text, most bigint) returns bigint language plpgsql
  set search_path to @schema@, pg_temp as $$
declare
  deleted bigint;
begin
  execute format('delete from only %1$I where ctid = any (array(select ctid from only %1$I where business_id = $1 limit $2))',
                 part) using business, most;
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- The number of rows that a business has in one of these tables, and its share of the table's bytes with its indexes, in
-- proportion to the rows.
create function size_of(business uuid, part text, out row_count bigint, out bytes bigint) language plpgsql stable
  set search_path to @schema@, pg_temp as $$
begin
  execute format('select count(*) from only %I where business_id = $1', part) into row_count using business;
  bytes := case when row_count = 0 then 0 else
    (select (pg_total_relation_size(c.oid) * (row_count / greatest(c.reltuples, row_count, 1)::numeric))::bigint
     from pg_class c where c.oid = format('%I', part)::regclass) end;
end $$;

-- A cursor of a business's rows in one of these tables as JSON objects, without the columns that hold secrets: every
-- bytea column is a sealed value, a hash or a document that can be made again.
create function rows_of(business uuid, part text) returns refcursor language plpgsql
  set search_path to @schema@, pg_temp as $$
declare
  rows refcursor;
  secrets text[] := array(select a.attname::text from pg_attribute a
                          where a.attrelid = format('%I', part)::regclass and a.attnum > 0 and not a.attisdropped
                            and (a.atttypid = 'bytea'::regtype or a.attname in ('password_hash', 'p256dh', 'auth', 'endpoint')));
begin
  open rows no scroll for execute
    format('select (to_jsonb(t) - $2)::text from only %I t where t.business_id = $1', part) using business, secrets;
  return rows;
end $$;

revoke execute on function business_tables(), delete_rows_of(uuid, text, bigint), size_of(uuid, text), rows_of(uuid, text)
  from public;
