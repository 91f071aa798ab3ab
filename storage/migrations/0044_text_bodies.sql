-- Functions of records whose bodies are texts, because PostgreSQL 15.20 adds no column with a default to a table whose row
-- type the stored body of a function names. They stay the same otherwise. Tables whose rows `events` keeps take no such column
-- in any case.
--
-- A text is parsed with the search_path of its caller, so every name is qualified. A search_path of the function would keep
-- PostgreSQL from putting its expression into the query, which then would not use the index of the expression. `nullif`
-- always takes the operator of the search_path; only the service calls its function.

create or replace function source_kind(o orders) returns text language sql immutable as $$
  select case when o.integration_id is not null then 'import' when o.source_type operator(pg_catalog.=) 'sql' then 'sql'
              else 'api' end $$;

-- The expression of the index orders_by_recipient (0019_recipients_and_sources.sql).
create or replace function recipient_text(o orders) returns text language sql immutable as $$
  select pg_catalog.lower(nullif(
    coalesce(o.delivery_name, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_company, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_phone, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_email, ''), E'\n\n\n')) $$;

-- The expression of the index shipments_by_found_text (0024_lists.sql).
create or replace function found_text(s shipments) returns text language sql immutable as $$
  select pg_catalog.lower(
    coalesce(s.tracking_number, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_name, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_city, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.carrier_tracking_number, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_company, '')) $$;

-- The trigger of shipments calls these two, with the rights of its owner and the search_path of the writer.
create or replace function iso(t timestamptz) returns text language sql stable as $$
  select pg_catalog.to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
create or replace function trace_json(t shipment_traces) returns jsonb language sql stable as $$
  select pg_catalog.jsonb_build_object('status', t.status, 'description', t.description, 'location', t.location,
                                       'timestamp', @schema@.iso(t.at), 'externalId', t.external_id) $$;

-- The trigger function of 0024_lists.sql without `is distinct from` and `nullif`, which take the operator `=` of the writer's
-- search_path. Without a last_trace_id there is no trace to find.
create or replace function record_shipment_update() returns trigger language plpgsql security definer as $$
begin
  with written as (
    insert into @schema@.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after, detail)
    select n.business_id, n.guid, 1, @schema@.event_cause(),
           case when o.deleted_at is null then row(o.*)::@schema@.shipments end,
           case when n.deleted_at is null then row(n.*)::@schema@.shipments end, t.detail
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    left join lateral (
      select pg_catalog.jsonb_build_object('trace', @schema@.trace_json(t)) as detail from @schema@.shipment_traces t
      where (n.last_trace_id operator(pg_catalog.=) o.last_trace_id) is not true
        and t.business_id operator(pg_catalog.=) n.business_id and t.shipment_id operator(pg_catalog.=) n.guid
        and t.id operator(pg_catalog.>) coalesce(
              case when n.status operator(pg_catalog.=) o.status then coalesce(
                o.last_trace_id, case when pg_catalog.current_setting('waybill.last_trace_id', true) operator(pg_catalog.<>) ''
                                   then pg_catalog.current_setting('waybill.last_trace_id', true)::bigint end) end,
              n.last_trace_id operator(pg_catalog.-) 1)
        and t.id operator(pg_catalog.<=) n.last_trace_id
      order by t.id
    ) t on true
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at, (shipment_before).status as status_before, (shipment_after).status as status_after
  ), pending as (
    insert into @schema@.pending_events (shard, id, business_id, at)
    select @schema@.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into @schema@.status_counts (business_id, entity_type, status_before, status_after, records)
    select business_id, 1, status_before, status_after, pg_catalog.count(*) from written
    where coalesce(status_before, '') operator(pg_catalog.<>) coalesce(status_after, '')
    group by business_id, status_before, status_after
  )
  insert into @schema@.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.sum(case when status_before is null then 1 else -1 end) from written
  where (status_before is null) operator(pg_catalog.<>) (status_after is null) group by business_id;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
