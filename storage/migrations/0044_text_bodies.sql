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
