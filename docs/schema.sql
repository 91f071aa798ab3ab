
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE FUNCTION public.adapt_to_calendar() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
begin
  new.calendar_changed_at := clock_timestamp();
  insert into timer_scans as s (business_id, workflow_id, plan, since)
  select w.business_id, w.guid, w.timer_plan, clock_timestamp()
  from workflows w
  where w.business_id = new.guid and w.deleted_at is null and unnumbered_form(w.trigger_code) ~ '^timer:.*:workdays$'
  on conflict (business_id, workflow_id) do update set position = excluded.position;
  with waiting as materialized (
    select q.workflow_id, q.guid
    from workflows w
    join run_queue q on q.business_id = w.business_id and q.workflow_id = w.guid
    where w.business_id = new.guid and window_follows(w.time_window, old.timezone is distinct from new.timezone)
      and q.code = 'WINDOW' and q.status in ('waiting', 'retrying')
    order by q.guid limit 50000 for update of q skip locked
  )
  update run_queue q set due_at = now() from waiting w
  where q.business_id = new.guid and q.workflow_id = w.workflow_id and q.guid = w.guid;
  if found then perform pg_notify('waybill_queue', ''); end if;
  return new;
end $_$;

CREATE FUNCTION public.add_managed_workflows(business uuid) RETURNS void
    LANGUAGE sql
    AS $$
  with added as (
    insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_active, is_managed,
                           created_at)
    select business, m.name, 1, m.trigger_code, m.action, m.conditions, m.is_active, true,
           now() + m.number * interval '1 microsecond'
    from (values
      (0, 'Order shipped when a shipment of it is underway or delivered', 'shipment_status_changed', true,
       '{"type": "update_status", "recipient": "order", "template": "shipped", "status": "shipped",
         "whenAllShipments": null}'::jsonb,
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'::jsonb),
      (1, 'Order delivered when all its shipments are', 'shipment_status_changed', true,
       '{"type": "update_status", "recipient": "order", "template": "delivered", "status": "delivered",
         "whenAllShipments": "delivered"}',
       '{"orderId": {"exists": true}, "status": {"in": ["delivered", "cancelled"]}}'),
      -- The next two are switched on by the first integration with push_tracking, see switch_push_tracking.
      (2, 'Push tracking to the store when a shipment is underway or delivered', 'shipment_status_changed', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"nin": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'),
      (3, 'Push tracking to the store when the carrier''s number is entered later', 'shipment_updated', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "any": [{"carrierTrackingNumber": {"changed": true}}, {"carrierTrackingUrl": {"changed": true}}]}')
    ) m (number, name, trigger_code, is_active, action, conditions)
    returning *
  )
  insert into workflow_versions (business_id, workflow_id, version, definition)
  select business_id, guid, version, workflow_definition(added) from added $$;

CREATE PROCEDURE public.add_text(IN record regclass, IN name text, IN longest integer, IN personal text)
    LANGUAGE plpgsql
    AS $_$
begin
  execute format('create or replace trigger %3$I before insert on %1$s for each row when (octet_length(new.%2$I) > %4$s) '
                 'execute function limit_text(%2$L, %4$s)', record, name, 'limit_' || name || '_insert', longest);
  execute format('create or replace trigger %3$I before update of %2$I on %1$s for each row when (octet_length(new.%2$I) > %4$s) '
                 'execute function limit_text(%2$L, %4$s)', record, name, 'limit_' || name || '_update', longest);
  call measure_texts(record);
  if personal <> 'no' then
    call erase_text(record, name, personal);
  end if;
end $_$;

CREATE FUNCTION public.add_tracking_tokens() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  insert into tracking_tokens (token, business_id, shipment_id)
  select random_token(), n.business_id, n.guid from new_rows n;
  return null;
end $$;

CREATE FUNCTION public.add_workflows_of_new_business() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform add_managed_workflows(new.guid);
  return null;
end $$;

CREATE FUNCTION public.address_line(street text, city text, state text, postal_code text, country text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select nullif(concat_ws(', ', nullif(street, ''), nullif(city, ''),
                          nullif(concat_ws(' ', nullif(state, ''), nullif(postal_code, '')), ''), nullif(country, '')), '') $$;

CREATE FUNCTION public.address_mark(street text, city text, state text, postal_code text, country text, home text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  select hashtextextended(coalesce(street, '') || E'\n' || coalesce(city, '') || E'\n' || coalesce(state, '') || E'\n'
                          || coalesce(postal_code, '') || E'\n' || coalesce(nullif(btrim(country), ''), home, ''), 0) $$;

CREATE FUNCTION public.advance_workflow_epoch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update workflow_epoch set epoch = epoch + 1 returning epoch into new.epoch;
  perform pg_notify('waybill_workflows', '');
  return new;
end $$;

CREATE TABLE public.business_defaults (
    business_id uuid NOT NULL,
    carrier_id uuid,
    service_level text,
    length numeric,
    width numeric,
    height numeric,
    unit text,
    email_enabled boolean,
    push_enabled boolean,
    epoch bigint DEFAULT 0 NOT NULL,
    alert_emails text[],
    alert_webhook_url text,
    sealed_alert_secret bytea,
    alert_causes text[],
    alert_minutes integer,
    CONSTRAINT business_defaults_alert_webhook_whole CHECK (((alert_webhook_url IS NULL) = (sealed_alert_secret IS NULL))),
    CONSTRAINT business_defaults_height_check CHECK (((height >= (0)::numeric) AND (height < '1000000000000'::numeric))),
    CONSTRAINT business_defaults_length_check CHECK (((length >= (0)::numeric) AND (length < '1000000000000'::numeric))),
    CONSTRAINT business_defaults_unit_check CHECK ((unit = ANY (ARRAY['cm'::text, 'in'::text, 'm'::text]))),
    CONSTRAINT business_defaults_width_check CHECK (((width >= (0)::numeric) AND (width < '1000000000000'::numeric)))
);

CREATE FUNCTION public.alert_addresses(d public.business_defaults, business uuid, cause text) RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
  select case when not is_mailed_to_administrators(cause) then coalesce(d.alert_emails, '{}') else array(
    select distinct on (lower(a.email)) a.email
    from (select unnest(d.alert_emails) as email where chooses_alert(d, cause)
          union all
          -- A server takes at least 100 recipients (RFC 5321 section 4.5.3.1.8); the settings have at most 20.
          (select u.email from users u
           where u.business_id = business and u.role in ('owner', 'admin') and u.verified_at is not null
           order by u.role desc, u.created_at, u.guid limit 80)) a
    order by lower(a.email), a.email) end $$;

CREATE FUNCTION public.announced_time(announced timestamp with time zone, zone text) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select case when announced not between now() - interval '1 year' and now() + interval '1 year' then null
              when date_trunc('day', announced at time zone 'UTC') = announced at time zone 'UTC'
                then (announced at time zone 'UTC' + interval '1 day') at time zone zone - interval '1 millisecond'
              else announced end $$;

CREATE FUNCTION public.attempts_of_step(attempts integer, steps text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select attempts - coalesce((steps::json ->> 'attemptsBefore')::integer, 0) $$;

CREATE FUNCTION public.iso(t timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select pg_catalog.to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

CREATE FUNCTION public.audit_value(value jsonb, sign text) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN CASE WHEN (value IS NULL) THEN NULL::jsonb WHEN (sign = '!'::text) THEN to_jsonb('********'::text) WHEN (sign = '@'::text) THEN to_jsonb(public.iso(((value #>> '{}'::text[]))::timestamp with time zone)) WHEN (length((value #>> '{}'::text[])) > 2000) THEN to_jsonb(((("left"((value #>> '{}'::text[]), 2000) || '… ('::text) || length((value #>> '{}'::text[]))) || ' characters)'::text)) ELSE value END;

CREATE FUNCTION public.audit_changes(before jsonb, after jsonb, fields text[]) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN (SELECT jsonb_object_agg(c.name, jsonb_build_object('from', public.audit_value(c.was, c.sign), 'to', public.audit_value(c.now, c.sign))) AS jsonb_object_agg FROM (SELECT p.part[3] AS name, p.part[2] AS sign, NULLIF((audit_changes.before -> p.part[1]), 'null'::jsonb) AS was, NULLIF((audit_changes.after -> p.part[1]), 'null'::jsonb) AS now FROM unnest(audit_changes.fields) f(field), LATERAL regexp_match(f.field, '^(\w+)([=!@])([\w.]+)$'::text) p(part)) c WHERE (c.was IS DISTINCT FROM c.now));

CREATE FUNCTION public.hidden_headers(headers json) RETURNS json
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(json_object_agg(h.key, case when lower(h.key) in ('accept', 'accept-language', 'content-language',
                                                                    'content-type', 'user-agent')
                                              then h.value else to_json('********'::text) end), '{}')
  from json_each(headers) h $$;

CREATE FUNCTION public.audit_row(stored jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN ((stored || CASE WHEN (stored ? 'entity_type'::text) THEN jsonb_build_object('entity_type', (ARRAY['Order'::text, 'Shipment'::text, 'Customer'::text, 'Product'::text])[(((stored ->> 'entity_type'::text))::integer + 1)]) ELSE '{}'::jsonb END) || CASE WHEN (jsonb_typeof((stored #> '{action,headers}'::text[])) = 'object'::text) THEN jsonb_build_object('action', ((stored -> 'action'::text) || jsonb_build_object('headers', public.hidden_headers(((stored #> '{action,headers}'::text[]))::json)))) ELSE '{}'::jsonb END);

CREATE FUNCTION public.awaits_further(event bigint, steps text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select event is not null and watched_step(steps) > 0 and event > (steps::json ->> 'lookedTo')::bigint $$;

CREATE FUNCTION public.begin_limited_runs(businesses uuid[], workflows uuid[], runs uuid[], counts integer[], periods interval[]) RETURNS SETOF uuid
    LANGUAGE plpgsql
    AS $$
declare
  refused record;
begin
  for refused in select r.run, r.is_locked from begin_within_limits(businesses, workflows, runs, counts, periods) r loop
    if refused.is_locked then
      raise exception 'another session has locked a run' using errcode = 'lock_not_available';
    end if;
    return next refused.run;
  end loop;
end $$;

CREATE FUNCTION public.begin_within_limits(businesses uuid[], workflows uuid[], runs uuid[], counts integer[], periods interval[]) RETURNS TABLE(run uuid, is_locked boolean)
    LANGUAGE plpgsql
    AS $$
declare
  wanted record;
  own_value bytea;
  present timestamptz;
  oldest record;
  newest record;
  begun bigint;
  begins_at timestamptz;
begin
  perform from work_locks
  where kind = 'limits' and slot = any (array(select work_slot(w.id::text) from unnest(workflows) w (id)))
  order by slot for update;
  for wanted in select * from unnest(businesses, workflows, runs, counts, periods) w (business, workflow, run, count, period)
  loop
    select l.value into own_value from limited_runs l
    where l.business_id = wanted.business and l.run = wanted.run and l.begun_at is null;
    continue when not found;
    present := clock_timestamp();
    select l.begun_at, l.number into newest from limited_runs l
    where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at is not null
    order by l.begun_at desc limit 1;
    select l.begun_at, l.number into oldest from limited_runs l
    where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at > present - wanted.period
    order by l.begun_at limit 1;
    if oldest.begun_at is null then
      begun := 0;
    elsif oldest.number is not null then
      begun := newest.number - oldest.number + 1;
    else
      select count(*) into begun
      from (select from limited_runs l
            where l.workflow_id = wanted.workflow and l.value = own_value and l.begun_at > present - wanted.period
            limit wanted.count) l;
    end if;
    run := wanted.run;
    is_locked := false;
    if begun >= wanted.count then
      return next;
      continue;
    end if;
    begins_at := greatest(present, newest.begun_at + interval '1 microsecond');  -- also if the clock was set back
    update limited_runs l
    set begun_at = begins_at, expires_at = begins_at + wanted.period, number = coalesce(newest.number, begun) + 1
    from (select f.ctid as place from limited_runs f
          where f.business_id = wanted.business and f.run = wanted.run for update skip locked) free
    where l.ctid = free.place;
    if not found then
      is_locked := true;
      return next;
    end if;
  end loop;
end $$;

CREATE FUNCTION public.bounded_json(j jsonb) RETURNS text
    LANGUAGE plpgsql STABLE STRICT
    AS $$
begin
  return case when pg_column_size(j || '{}') > 4194304 then '' else j::text end;  -- the size without compression
end $$;

CREATE TABLE public.customers (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    email text,
    phone text,
    company text,
    street text,
    city text,
    state text,
    postal_code text,
    country text,
    contacts jsonb DEFAULT '[]'::jsonb NOT NULL,
    reference_list jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    external_reference text,
    tags jsonb,
    metadata jsonb,
    CONSTRAINT customers_contacts_check CHECK ((jsonb_typeof(contacts) = 'array'::text)),
    CONSTRAINT customers_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT customers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT customers_reference_list_check CHECK ((jsonb_typeof(reference_list) = 'array'::text)),
    CONSTRAINT customers_tags_check CHECK ((jsonb_typeof(tags) = 'array'::text)),
    CONSTRAINT customers_times_in_range CHECK (((LEAST(created_at, updated_at, deleted_at) >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(created_at, updated_at, deleted_at) < '10000-01-01 00:00:00+00'::timestamp with time zone)))
);

CREATE FUNCTION public.bounded_record(r public.customers) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT
    AS $$
begin
  if greatest(pg_column_size(r), octet_length(r.name), octet_length(r.email), octet_length(r.phone), octet_length(r.company), octet_length(r.street), octet_length(r.city), octet_length(r.state), octet_length(r.postal_code), octet_length(r.country), octet_length(r.external_reference)) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $$;

CREATE FUNCTION public.event_cause() RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN COALESCE(CASE WHEN ((SESSION_USER = CURRENT_USER) OR pg_has_role(SESSION_USER, CURRENT_USER, 'member'::text)) THEN (NULLIF(split_part(current_setting('waybill.cause'::text, true), '
'::text, 1), ''::text))::jsonb ELSE NULL::jsonb END, jsonb_set('{"by": {"type": "sql"}}'::jsonb, '{by,name}'::text[], to_jsonb(SESSION_USER)));

CREATE FUNCTION public.order_source() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    RETURN CASE (public.event_cause() #>> '{by,type}'::text[]) WHEN 'sql'::text THEN 'sql'::text WHEN 'import'::text THEN 'import'::text ELSE 'api'::text END;

CREATE TABLE public.orders (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    order_number text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    customer_id uuid,
    items json DEFAULT '[]'::json NOT NULL,
    delivery_street text,
    delivery_city text,
    delivery_state text,
    delivery_postal_code text,
    delivery_country text,
    carrier_id uuid,
    service_level text,
    total_value numeric(14,2) DEFAULT 0 NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    collection_date timestamp(3) with time zone,
    collection_start text,
    collection_end text,
    notes text,
    integration_id uuid,
    external_id text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    external_reference text,
    tags jsonb,
    metadata jsonb,
    delivery_name text,
    delivery_company text,
    delivery_phone text,
    delivery_email text,
    source_type text DEFAULT public.order_source(),
    source_url text,
    shipping_method text,
    shipping_cost numeric(14,2),
    status_changed_at timestamp(3) with time zone DEFAULT now()
);

CREATE FUNCTION public.bounded_record(r public.orders) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT
    AS $$
begin
  if greatest(pg_column_size(r), octet_length(r.order_number), octet_length(r.status), octet_length(r.delivery_street), octet_length(r.delivery_city), octet_length(r.delivery_state), octet_length(r.delivery_postal_code), octet_length(r.delivery_country), octet_length(r.service_level), octet_length(r.currency), octet_length(r.collection_start), octet_length(r.collection_end), octet_length(r.notes), octet_length(r.external_id), octet_length(r.external_reference), octet_length(r.delivery_name), octet_length(r.delivery_company), octet_length(r.delivery_phone), octet_length(r.delivery_email), octet_length(r.source_type), octet_length(r.source_url), octet_length(r.shipping_method)) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $$;

CREATE TABLE public.products (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    sku text,
    description text,
    barcode text,
    price numeric(14,2),
    cost numeric(14,2),
    weight numeric,
    length numeric,
    width numeric,
    height numeric,
    variants jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    external_reference text,
    tags jsonb,
    metadata jsonb,
    hs_code text,
    origin_country text,
    customs_value numeric,
    CONSTRAINT products_cost_check CHECK ((cost >= (0)::numeric)),
    CONSTRAINT products_height_check CHECK ((height >= (0)::numeric)),
    CONSTRAINT products_length_check CHECK ((length >= (0)::numeric)),
    CONSTRAINT products_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT products_name_check CHECK ((name <> ''::text)),
    CONSTRAINT products_numbers_in_range CHECK ((GREATEST(price, cost, weight, length, width, height) < '1000000000000'::numeric)),
    CONSTRAINT products_price_check CHECK ((price >= (0)::numeric)),
    CONSTRAINT products_tags_check CHECK ((jsonb_typeof(tags) = 'array'::text)),
    CONSTRAINT products_times_in_range CHECK (((LEAST(created_at, updated_at, deleted_at) >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(created_at, updated_at, deleted_at) < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT products_variants_check CHECK ((jsonb_typeof(variants) = 'array'::text)),
    CONSTRAINT products_weight_check CHECK ((weight >= (0)::numeric)),
    CONSTRAINT products_width_check CHECK ((width >= (0)::numeric))
);

CREATE FUNCTION public.bounded_record(r public.products) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT
    AS $$
begin
  if greatest(pg_column_size(r), octet_length(r.name), octet_length(r.sku), octet_length(r.description), octet_length(r.barcode), octet_length(r.external_reference), octet_length(r.hs_code), octet_length(r.origin_country)) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $$;

CREATE TABLE public.shipments (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    tracking_number text NOT NULL,
    status text DEFAULT 'created'::text NOT NULL,
    order_id uuid,
    customer_id uuid,
    sender_name text,
    sender_street text,
    sender_city text,
    sender_state text,
    sender_postal_code text,
    sender_country text,
    sender_phone text,
    recipient_name text,
    recipient_street text,
    recipient_city text,
    recipient_state text,
    recipient_postal_code text,
    recipient_country text,
    recipient_phone text,
    packages jsonb DEFAULT '[]'::jsonb NOT NULL,
    carrier_id uuid,
    service_level text,
    instructions text,
    collection_date timestamp(3) with time zone,
    estimated_delivery timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    dispatch_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    external_reference text,
    tags jsonb,
    metadata jsonb,
    sender_company text,
    recipient_company text,
    recipient_email text,
    carrier_tracking_number text,
    carrier_tracking_url text,
    status_changed_at timestamp(3) with time zone,
    last_trace_at timestamp(3) with time zone,
    last_trace_id bigint,
    label_status text,
    shipping_price numeric,
    currency text,
    customs jsonb,
    is_return boolean,
    order_items uuid[],
    announced_delivery timestamp(3) with time zone,
    order_pieces jsonb,
    CONSTRAINT shipments_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT shipments_packages_check CHECK ((jsonb_typeof(packages) = 'array'::text)),
    CONSTRAINT shipments_status_check CHECK ((status = ANY (ARRAY['created'::text, 'collected'::text, 'in_transit'::text, 'out_for_delivery'::text, 'delivered'::text, 'exception'::text, 'returned'::text, 'cancelled'::text]))),
    CONSTRAINT shipments_tags_check CHECK ((jsonb_typeof(tags) = 'array'::text)),
    CONSTRAINT shipments_times_in_range CHECK (((LEAST(created_at, updated_at, deleted_at, collection_date, estimated_delivery, delivered_at) >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(created_at, updated_at, deleted_at, collection_date, estimated_delivery, delivered_at) < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT shipments_tracking_number_check CHECK ((tracking_number <> ''::text))
);

CREATE FUNCTION public.bounded_record(r public.shipments) RETURNS bytea
    LANGUAGE plpgsql STABLE STRICT
    AS $$
begin
  if greatest(pg_column_size(r), octet_length(r.tracking_number), octet_length(r.status), octet_length(r.sender_name), octet_length(r.sender_street), octet_length(r.sender_city), octet_length(r.sender_state), octet_length(r.sender_postal_code), octet_length(r.sender_country), octet_length(r.sender_phone), octet_length(r.recipient_name), octet_length(r.recipient_street), octet_length(r.recipient_city), octet_length(r.recipient_state), octet_length(r.recipient_postal_code), octet_length(r.recipient_country), octet_length(r.recipient_phone), octet_length(r.service_level), octet_length(r.instructions), octet_length(r.external_reference), octet_length(r.sender_company), octet_length(r.recipient_company), octet_length(r.recipient_email), octet_length(r.carrier_tracking_number), octet_length(r.carrier_tracking_url), octet_length(r.label_status), octet_length(r.currency)) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $$;

CREATE FUNCTION public.business_tables() RETURNS TABLE(name text, place bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.catalogue_business() RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00000000-0000-0000-0000-000000000000'::uuid;

CREATE FUNCTION public.changed_element(element jsonb, change jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select element || change ||
         case when jsonb_typeof(change -> 'dimensions') = 'object'
           then jsonb_build_object('dimensions', '{"length": null, "width": null, "height": null}'
                  || case when jsonb_typeof(element -> 'dimensions') = 'object' then element -> 'dimensions' else '{}' end
                  || (change -> 'dimensions'))
           else '{}' end $$;

CREATE FUNCTION public.changed_tags(tags jsonb, added text[], removed text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select jsonb_agg(t.tag order by t.place)
  from (select distinct on (translate(lower(a.tag), 'ς', 'σ')) a.tag, a.place
        from (select k.tag, k.place from jsonb_array_elements_text(coalesce(tags, '[]')) with ordinality k (tag, place)
              where translate(lower(k.tag), 'ς', 'σ') <> all (select translate(lower(r.tag), 'ς', 'σ')
                                                              from unnest(removed) r (tag))
              union all
              select n.tag, 1000000 + n.place from unnest(added) with ordinality n (tag, place)) a
        order by translate(lower(a.tag), 'ς', 'σ'), a.place) t $$;

CREATE FUNCTION public.changes_record(action text, changing_action text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select changing_action is not distinct from action or action in ('update_status', 'update_record', 'create_shipment') $$;

CREATE FUNCTION public.check_order(o public.orders) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
declare
  violated pg_catalog.text := case
    when o.status operator(pg_catalog.<>) all (array['draft', 'pending', 'processing', 'ready', 'shipped', 'delivered',
                                                     'cancelled']) then 'orders_status_check'
    when o.order_number operator(pg_catalog.=) '' then 'orders_order_number_check'
    when pg_catalog.json_typeof(o.items) operator(pg_catalog.<>) 'array' then 'orders_items_check'
    when o.total_value operator(pg_catalog.<) 0 then 'orders_total_value_check'
    when o.total_value operator(pg_catalog.>=) 1e12 then 'orders_numbers_in_range'
    when o.currency operator(pg_catalog.!~) '^[A-Z]{3}$' then 'orders_currency_check'
    when least(o.created_at, o.updated_at, o.deleted_at, o.collection_date)
           operator(pg_catalog.<) pg_catalog.timestamptz '0001-01-01 00:00:00+00'
         or greatest(o.created_at, o.updated_at, o.deleted_at, o.collection_date)
           operator(pg_catalog.>=) pg_catalog.timestamptz '10000-01-01 00:00:00+00' then 'orders_times_in_range'
    when (o.integration_id is null) operator(pg_catalog.<>) (o.external_id is null) then 'orders_import_whole'
    when pg_catalog.jsonb_typeof(o.tags) operator(pg_catalog.<>) 'array' then 'orders_tags_check'
    when pg_catalog.jsonb_typeof(o.metadata) operator(pg_catalog.<>) 'object' then 'orders_metadata_check'
    when o.source_type operator(pg_catalog.<>) all (array['api', 'import', 'sql']) then 'orders_source_type_check'
    when o.shipping_cost operator(pg_catalog.<) 0 or o.shipping_cost operator(pg_catalog.>=) 1e12
      then 'orders_shipping_cost_check'
  end;
begin
  if violated is null then
    return true;
  end if;
  raise check_violation using
    message = pg_catalog.format('new row for relation "orders" violates check constraint "%s"', violated),
    table = 'orders', constraint = violated;
end $_$;

CREATE FUNCTION public.chooses_alert(d public.business_defaults, cause text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select (coalesce(cardinality(d.alert_emails), 0) > 0 or d.alert_webhook_url is not null)
         and (d.alert_causes is null or cause = any (d.alert_causes)) $$;

CREATE FUNCTION public.close_digests() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if new.deleted_at is null and new.is_active <> old.is_active
     and (workflow_definition(new), new.time_window, new.run_limit, new.request_rate, new.sealed_credentials)
         is not distinct from (workflow_definition(old), old.time_window, old.run_limit, old.request_rate, old.sealed_credentials) then
    return null;
  end if;
  insert into digest_closings as c (business_id, workflow_id, version) values (new.business_id, new.guid, new.version)
  on conflict (business_id, workflow_id) do update set version = excluded.version, until = excluded.until;
  return null;
end $$;

CREATE FUNCTION public.closed_hours(zone text, holidays jsonb) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select coalesce(string_agg(c.hour::text, ' '), '')
  from (select ((d.day - date '1970-01-01') * 24 + h)::bigint as hour
        from (select (now() at time zone zone)::date - back as day from generate_series(-1, 22) back) d, generate_series(0, 23) h
        where holidays <> '[]' and holidays ? to_char(d.day, 'YYYY-MM-DD')
        union all
        select s.before + 1
        from (select wall_hour(t, zone) as hour, lag(wall_hour(t, zone)) over (order by t) as before
              from generate_series(date_trunc('hour', now()) - interval '49 hours', now(), interval '1 hour') t) s
        where s.hour = s.before + 2) c $$;

CREATE FUNCTION public.complete_dispatch_if_done(business uuid, dispatch uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform from dispatches where business_id = business and guid = dispatch and status = 'in_progress';
  if not found then return; end if;
  perform from dispatches where business_id = business and guid = dispatch and status = 'in_progress' for update;
  if not found then return; end if;
  perform from shipments
  where business_id = business and dispatch_id = dispatch and deleted_at is null and not is_final(status) limit 1;
  if not found then perform end_dispatch(business, dispatch, 'completed'); end if;
end $$;

CREATE FUNCTION public.contact_addresses(business uuid) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(b.email, (select string_agg(u.email, E'\n' order by u.created_at, u.guid)
                            from (select * from users u
                                  where u.business_id = b.guid and u.role in ('owner', 'admin') and u.verified_at is not null
                                  order by u.created_at, u.guid limit 20) u))
  from businesses b where b.guid = business $$;

CREATE FUNCTION public.count_cancelled_order() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  perform from shipments s
  where s.business_id = new.business_id and s.order_id = new.guid and s.deleted_at is null and s.label_status is not null
  order by s.guid for share;
  perform count_label_alert('label_of_cancelled_order', p)
  from shipments s join purchases p on p.business_id = s.business_id and p.shipment_id = s.guid
  where s.business_id = new.business_id and s.order_id = new.guid and s.deleted_at is null and s.label_status = 'bought'
    and p.status = 'bought' and p.stray_of is null;
  return null;
end $$;

CREATE FUNCTION public.count_failures(business uuid, failed_cause text, subject uuid, failed_run uuid, oldest timestamp with time zone, newest timestamp with time zone, failures bigint) RETURNS void
    LANGUAGE sql
    AS $$
  insert into alerts as a (business_id, cause, subject_id, count, run_id, failed_from, failed_to)
  select business, failed_cause, subject, failures, failed_run, oldest, newest
  from (select business as guid) b left join business_defaults d on d.business_id = b.guid
  where wants_alert(d, failed_cause)
  on conflict (business_id, cause, subject_id) do update
  set count = a.count + excluded.count, run_id = excluded.run_id,
      failed_from = least(a.failed_from, excluded.failed_from),
      failed_to = greatest(a.failed_to, excluded.failed_to) $$;

CREATE TABLE public.purchases (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    shipment_id uuid NOT NULL,
    attempt integer NOT NULL,
    stray_of uuid,
    reference uuid NOT NULL,
    shard smallint NOT NULL,
    carrier_id uuid,
    connector text DEFAULT ''::text NOT NULL,
    wanted jsonb DEFAULT '{}'::jsonb NOT NULL,
    cause jsonb,
    status text DEFAULT 'requested'::text NOT NULL,
    gateway_id text,
    rate_id text,
    service_level text,
    service_code text,
    service_name text,
    quote numeric,
    quote_currency text,
    price numeric,
    currency text,
    is_dearer boolean DEFAULT false NOT NULL,
    max_price numeric,
    max_currency text,
    format text DEFAULT 'pdf'::text NOT NULL,
    test_mode boolean,
    tracking_numbers text[] DEFAULT '{}'::text[] NOT NULL,
    tracking_url text,
    has_label boolean DEFAULT false NOT NULL,
    error_code text,
    error_text text,
    void_state text,
    resolution text,
    resolved_by text,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    looked_up_at timestamp with time zone,
    draft_begun_at timestamp with time zone,
    buy_begun_at timestamp with time zone,
    unknown_since timestamp with time zone,
    resolved_at timestamp with time zone,
    bought_at timestamp with time zone,
    voiding_since timestamp with time zone,
    void_begun_at timestamp with time zone,
    voided_at timestamp with time zone,
    erased_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    lookups integer DEFAULT 0 NOT NULL,
    lease_owner uuid,
    lease_until timestamp with time zone,
    next_at timestamp with time zone,
    claim_at timestamp with time zone,
    estimated_delivery timestamp with time zone,
    CONSTRAINT purchases_check CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
    CONSTRAINT purchases_check1 CHECK (((status <> 'buying'::text) OR ((buy_begun_at IS NOT NULL) AND (gateway_id IS NOT NULL)))),
    CONSTRAINT purchases_check2 CHECK (((status <> ALL (ARRAY['bought'::text, 'voiding'::text, 'voided'::text])) OR (bought_at IS NOT NULL))),
    CONSTRAINT purchases_check3 CHECK (((price >= (0)::numeric) AND (quote >= (0)::numeric) AND (max_price >= (0)::numeric))),
    CONSTRAINT purchases_format_check CHECK ((format = ANY (ARRAY['pdf'::text, 'zpl'::text, 'png'::text]))),
    CONSTRAINT purchases_resolution_check CHECK ((resolution = ANY (ARRAY['bought'::text, 'not_bought'::text]))),
    CONSTRAINT purchases_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'buying'::text, 'bought'::text, 'refused'::text, 'unknown'::text, 'voiding'::text, 'voided'::text]))),
    CONSTRAINT purchases_void_state_check CHECK ((void_state = ANY (ARRAY['unknown'::text, 'pending'::text, 'refused'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

CREATE FUNCTION public.count_label_alert(failed_cause text, p public.purchases) RETURNS void
    LANGUAGE sql
    AS $$
  select count_failures(p.business_id, failed_cause, coalesce(p.carrier_id, '00000000-0000-0000-0000-000000000000'), p.guid,
                        null, null, 1) $$;

CREATE FUNCTION public.count_pause() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
  perform count_failures(new.business_id, 'workflow_paused', new.guid, null, null, null, 1);
  return null;
end $$;

CREATE FUNCTION public.count_purchase() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  moved constant boolean := new.status <> old.status;
begin
  -- In the order of the causes, so that no two transactions wait for each other.
  if new.is_dearer and not old.is_dearer then perform count_label_alert('label_dearer', new); end if;
  if moved and new.status = 'bought' and new.stray_of is not null then perform count_label_alert('label_doubled', new); end if;
  if moved and new.status = 'refused' and new.resolution is null
     and coalesce(new.error_code, '') not in ('TOO_EXPENSIVE', 'OTHER_CURRENCY') then
    perform count_label_alert('label_failed', new);
  end if;
  if moved and new.status = 'bought' and exists (
    select from shipments s join orders o on o.business_id = s.business_id and o.guid = s.order_id
    where s.business_id = new.business_id and s.guid = new.shipment_id and o.status = 'cancelled') then
    perform count_label_alert('label_of_cancelled_order', new);
  end if;
  if moved and new.status = 'unknown'
     or new.status = 'voiding' and new.void_state = 'unknown' and new.lookups > 0 and old.lookups = 0 then
    perform count_label_alert('label_unknown', new);
  end if;
  return null;
end $$;

CREATE FUNCTION public.count_stray() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  perform count_label_alert('label_doubled', new);
  return null;
end $$;

CREATE FUNCTION public.holds_word(value text, words text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT (EXISTS (SELECT FROM unnest(holds_word.words) w(word) WHERE (strpos(v.folded, translate(w.word, 'ς'::text, 'σ'::text)) > 0))) AS "exists" FROM (SELECT translate(lower(holds_word.value), 'ς'::text, 'σ'::text) AS folded OFFSET 0) v);

CREATE FUNCTION public.text_without(value text, words text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  folded text := translate(lower(value), 'ς', 'σ');
  held text[] := array(select w.word from (select translate(n.word, 'ς', 'σ') as word from unnest(words) n (word)) w
                       where strpos(folded, w.word) > 0 order by length(w.word) desc);
  word text;
  begins boolean;
  is_one boolean;
  place integer;
  found integer;
begin
  if cardinality(held) = 0 then return value; end if;
  if length(folded) <> length(value) then value := folded; end if;  -- a place must be the same in both
  foreach word in array held loop
    begins := word ~ '^[[:alnum:]]' and ascii(word) < x'0e00'::integer;
    is_one := word !~ '[^[:alnum:]]' and ascii(right(word, 1)) < x'0e00'::integer;
    place := 1;
    loop
      found := strpos(substr(folded, place), word);
      exit when found = 0;
      found := place + found - 1;
      place := found + 1;
      continue when begins and substr(folded, found - 1, 1) ~ '[[:alnum:]]'
                 or is_one and substr(folded, found + length(word), 1) ~ '[[:alnum:]]';
      value := overlay(value placing 'Erased' from found for length(word));
      folded := overlay(folded placing 'erased' from found for length(word));
      place := found + length('Erased');
    end loop;
  end loop;
  return value;
end $$;

CREATE FUNCTION public.texts_without(list jsonb, words text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT jsonb_agg(CASE jsonb_typeof(e.item) WHEN 'string'::text THEN to_jsonb(public.text_without((e.item #>> '{}'::text[]), texts_without.words)) WHEN 'object'::text THEN COALESCE(o.item, '{}'::jsonb) ELSE e.item END ORDER BY e.place) AS jsonb_agg FROM (jsonb_array_elements(texts_without.list) WITH ORDINALITY e(item, place) CROSS JOIN LATERAL (SELECT jsonb_object_agg(m.name, CASE WHEN ((jsonb_typeof(m.value) = 'string'::text) AND (m.text !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text)) THEN to_jsonb(public.text_without(m.text, texts_without.words)) WHEN ((jsonb_typeof(m.value) = ANY (ARRAY['array'::text, 'object'::text])) AND (EXISTS (SELECT FROM jsonb_path_query(m.value, 'strict $.**?(@.type() == "string")'::jsonpath) t(inner_text) WHERE public.holds_word((t.inner_text #>> '{}'::text[]), texts_without.words)))) THEN 'null'::jsonb ELSE m.value END) AS item FROM (SELECT i.key, i.value, (i.value #>> '{}'::text[]) AS "?column?" FROM jsonb_each(CASE WHEN (jsonb_typeof(e.item) = 'object'::text) THEN e.item ELSE '{}'::jsonb END) i(key, value)) m(name, value, text)) o));

CREATE FUNCTION public.customs_without(customs jsonb, words text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('contents', public.text_without((customs ->> 'contents'::text), words), 'incoterm', public.text_without((customs ->> 'incoterm'::text), words), 'items', COALESCE(public.texts_without((SELECT jsonb_agg(jsonb_build_object('description', CASE WHEN ((i.item ->> 'description'::text) <> ''::text) THEN 'Erased'::text ELSE NULL::text END, 'quantity', (i.item -> 'quantity'::text), 'value', (i.item -> 'value'::text), 'currency', (i.item -> 'currency'::text), 'weight', (i.item -> 'weight'::text), 'hsCode', (i.item -> 'hsCode'::text), 'originCountry', (i.item -> 'originCountry'::text)) ORDER BY i.place) AS jsonb_agg FROM jsonb_array_elements(CASE WHEN (jsonb_typeof((customs_without.customs -> 'items'::text)) = 'array'::text) THEN (customs_without.customs -> 'items'::text) ELSE '[]'::jsonb END) WITH ORDINALITY i(item, place)), words), '[]'::jsonb));

CREATE FUNCTION public.delete_rows_of(business uuid, part text, most bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
declare
  deleted bigint;
begin
  execute format('delete from only %1$I where ctid = any (array(select ctid from only %1$I where business_id = $1 limit $2))',
                 part) using business, most;
  get diagnostics deleted = row_count;
  return deleted;
end $_$;

CREATE FUNCTION public.device_status(last_seen timestamp with time zone, battery_level numeric, fault text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case when last_seen < now() - interval '15 minutes' then 'offline'
              when fault is not null then 'error'
              when battery_level < 15 then 'low_battery'
              else 'active' end $$;

CREATE FUNCTION public.drop_partition(part text) RETURNS boolean
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $_$
declare
  parent text := regexp_replace(part, '_[0-9]{8}$', '');
  first date := to_date(right(part, 8), 'YYYYMMDD');
begin
  perform from work_locks where kind = 'partitions' for update skip locked;
  if not found or to_regclass(part) is null then
    return false;
  end if;
  -- Takes the locks as a test and releases them: the copy below takes time, and readers continue during it.
  begin
    execute format('lock table only %I, only %I in access exclusive mode', part, parent);
    raise exception 'the locks are available' using errcode = 'WB001';
  exception when sqlstate 'WB001' then null;
  end;
  if parent = 'events' then
    execute format('lock table only %I in exclusive mode', part);
    if exists (select from pending_events where at < (first + 1)::timestamp at time zone 'UTC') then
      return false;
    end if;
    execute format('insert into status_history select s.* from only %I e, status_changes(e) s where e.entity_type < 2
                    on conflict do nothing', part);
  elsif parent = 'runs' then
    delete from run_counts where (start at time zone 'UTC')::date = first;
  end if;
  execute format('lock table only %I, only %I in access exclusive mode', part, parent);
  execute format('drop table %I', part);
  return true;
end $_$;

CREATE FUNCTION public.drop_partitions(oldest date) RETURNS SETOF text
    LANGUAGE sql
    AS $$
  select drop_partitions_of(array['events', 'runs'], oldest) $$;

CREATE FUNCTION public.drop_partitions_of(parents text[], oldest date) RETURNS SETOF text
    LANGUAGE plpgsql
    AS $_$
declare
  part text;
begin
  for part in select c.relname
              from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
              where i.inhparent = any (parents::regclass[]) and c.relname ~ '_[0-9]{8}$'
                and to_date(right(c.relname, 8), 'YYYYMMDD') + partition_days(p.relname) <= oldest
              order by right(c.relname, 8), c.relname loop
    begin
      if drop_partition(part) then
        return next part;
        return;
      end if;
    exception when others then
      raise warning 'the partition % is not dropped: %', part, sqlerrm;
    end;
  end loop;
end $_$;

CREATE FUNCTION public.drop_position_partitions(oldest date) RETURNS SETOF text
    LANGUAGE sql
    AS $$
  select drop_partitions_of(array['positions'], oldest) $$;

CREATE FUNCTION public.due_date(collected timestamp with time zone, created timestamp with time zone, service_level text) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    AS $$
  select (coalesce(collected, created) at time zone 'UTC' +
          case service_level when 'express' then interval '2 days' when 'sameday' then interval '0 days'
          else interval '5 days' end) at time zone 'UTC' $$;

CREATE FUNCTION public.end_dispatch(business uuid, dispatch uuid, outcome text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  dispatch_row dispatches;
begin
  select * into dispatch_row from dispatches where business_id = business and guid = dispatch for update;
  update dispatches set status = outcome, ended_at = now() where business_id = business and guid = dispatch;
  if dispatch_row.status = 'in_progress' then
    update vehicles
    set status = case status when 'in_use' then 'available' else status end,
        current_driver_id = nullif(current_driver_id, dispatch_row.driver_id)
    where business_id = business and guid = dispatch_row.vehicle_id;
    update drivers set status = 'available'
    where business_id = business and guid = dispatch_row.driver_id and status = 'on_duty';
  end if;
  update dispatch_stops t set ended_as = s.status
  from shipments s
  where t.business_id = business and t.dispatch_id = dispatch and s.business_id = business and s.guid = t.shipment_id;
  update shipments set dispatch_id = null
  where business_id = business and dispatch_id = dispatch and not is_final(status);
end $$;

CREATE PROCEDURE public.erase_text(IN record regclass, IN name text, IN personal text)
    LANGUAGE plpgsql
    AS $$
declare
  erasing oid := coalesce(to_regprocedure(format('erased(%s, text[])', record)), to_regprocedure(format('erased(%s)', record)));
  definition text := pg_get_functiondef(erasing);
  variable text := (select p.proargnames[1] from pg_proc p where p.oid = erasing);
  ending text := E'\n  return ' || variable || E';\nend ';
  line text;
begin
  if personal not in ('yes', 'if_named') or coalesce(strpos(definition, ending), 0) = 0 then
    raise 'no function erases % of %', name, record;
  end if;
  line := format('%I.%I := null;', variable, name);
  if personal = 'if_named' and (select p.pronargs = 2 from pg_proc p where p.oid = erasing) then
    line := format('if holds_word(%I.%I, words) then %s end if;', variable, name, line);
  end if;
  if strpos(definition, line) = 0 then
    execute replace(definition, ending, E'\n  ' || line || ending);
  end if;
end $$;

CREATE FUNCTION public.erased(c public.customers) RETURNS public.customers
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if c.guid is null then return null; end if;
  c.name := 'Erased';
  c.email := null;
  c.phone := null;
  c.company := null;
  c.street := null;
  c.city := null;
  c.state := null;
  c.postal_code := null;
  c.country := null;
  c.contacts := '[]';
  c.reference_list := '[]';
  c.external_reference := null;
  c.tags := null;
  c.metadata := null;
  return c;
end $$;

CREATE FUNCTION public.erased(o public.orders, words text[]) RETURNS public.orders
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  items jsonb;
begin
  if o.guid is null then return null; end if;
  o.shipping_method := text_without(o.shipping_method, words);
  -- JSON escapes some characters, so a word with one of these may be in any items.
  if holds_word(o.items::text, words) or exists (select from unnest(words) w (word) where w.word ~ '["\\[:cntrl:]]') then
    items := texts_without(o.items::jsonb, words);
    if items <> o.items::jsonb then o.items := items; end if;
  end if;
  words := words || array(select lower(d) from unnest(array[o.delivery_name, o.delivery_email, o.delivery_phone]) d
                          where length(d) > 2);
  o.delivery_name := null;
  o.delivery_company := null;
  o.delivery_phone := null;
  o.delivery_email := null;
  o.delivery_street := null;
  o.delivery_postal_code := null;
  o.notes := null;
  if holds_word(o.external_reference, words) then o.external_reference := null; end if;
  if o.tags is not null then o.tags := tags_without(o.tags, words); end if;
  if o.metadata is not null then o.metadata := metadata_without(o.metadata, words); end if;
  return o;
end $$;

CREATE FUNCTION public.erased(s public.shipments, words text[]) RETURNS public.shipments
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if s.guid is null then return null; end if;
  if holds_word(s.sender_name, words) then  -- a parcel that the person sends back
    s.sender_name := 'Erased';
    s.sender_company := null;
    s.sender_phone := null;
    s.sender_street := null;
    s.sender_postal_code := null;
  end if;
  words := words || array(select lower(d) from unnest(array[s.recipient_name, s.recipient_email, s.recipient_phone]) d
                          where length(d) > 2 and d <> 'Erased');
  s.recipient_name := 'Erased';
  s.recipient_company := null;
  s.recipient_phone := null;
  s.recipient_email := null;
  s.recipient_street := null;
  s.recipient_postal_code := null;
  s.instructions := null;
  s.carrier_tracking_url := null;  -- a gateway's page shows the recipient's place; the number stays
  if s.customs is not null then s.customs := customs_without(s.customs, words); end if;
  if holds_word(s.external_reference, words) then s.external_reference := null; end if;
  if s.tags is not null then s.tags := tags_without(s.tags, words); end if;
  if s.metadata is not null then s.metadata := metadata_without(s.metadata, words); end if;
  return s;
end $$;

CREATE FUNCTION public.erased_steps(steps text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (((steps)::jsonb || jsonb_build_object('results', (SELECT COALESCE(jsonb_agg(((r.result || '{"error": null}'::jsonb) || CASE WHEN (jsonb_typeof((r.result -> 'answer'::text)) = 'object'::text) THEN '{"answer": null, "erased": true}'::jsonb ELSE '{}'::jsonb END) ORDER BY r.n), '[]'::jsonb) AS "coalesce" FROM jsonb_array_elements(((erased_steps.steps)::jsonb -> 'results'::text)) WITH ORDINALITY r(result, n)))))::text;

CREATE FUNCTION public.erased_tries(tries text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT (COALESCE(jsonb_agg((t.try || '{"error": null, "response": null}'::jsonb) ORDER BY t.n), '[]'::jsonb))::text AS "coalesce" FROM jsonb_array_elements((erased_tries.tries)::jsonb) WITH ORDINALITY t(try, n));

CREATE FUNCTION public.event_cause_of(record uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN CASE WHEN ((strpos(current_setting('waybill.cause'::text, true), '
'::text) > 0) AND ((SESSION_USER = CURRENT_USER) OR pg_has_role(SESSION_USER, CURRENT_USER, 'member'::text))) THEN COALESCE(jsonb_set(public.event_cause(), '{run}'::text[], to_jsonb(substr(current_setting('waybill.cause'::text, true), (NULLIF(strpos(current_setting('waybill.cause'::text, true), (('
'::text || record) || ' '::text)), 0) + 38), 36))), public.event_cause()) ELSE public.event_cause() END;

CREATE FUNCTION public.failed_steps(status text, steps text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select (select count(*) from json_array_elements(steps::json -> 'results') r where r ->> 'status' = 'dead')::integer
         + (status = 'dead' and not coalesce(steps_are_over(steps), false))::integer $$;

CREATE FUNCTION public.find_or_add_customer(business uuid, customer_name text, customer_email text, customer_phone text) RETURNS uuid
    LANGUAGE plpgsql
    AS $$
declare
  found_guid uuid;
begin
  loop
    select guid into found_guid from customers
    where business_id = business and lower(email) = lower(customer_email) and deleted_at is null;
    exit when found;
    insert into customers (business_id, name, email, phone)
    values (business, customer_name, customer_email, customer_phone)
    on conflict (business_id, lower(email)) where deleted_at is null do nothing
    returning guid into found_guid;
    exit when found;
  end loop;
  return found_guid;
end $$;

CREATE FUNCTION public.first_guid(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

CREATE FUNCTION public.first_moment_of(clock timestamp without time zone, zone text) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  with near as (select clock at time zone zone as moment)
  select coalesce((select min(m) from near, unnest(array[moment - interval '2 hours', moment - interval '1 hour',
                                                         moment - interval '30 minutes', moment]) m
                   where m at time zone zone = clock),
                  (select min(m) from near, generate_series(moment - interval '25 hours', moment + interval '25 hours',
                                                            interval '1 minute') m
                   where m at time zone zone > clock)) $$;

CREATE FUNCTION public.first_open_step(action text, status text, code text, steps text) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  select coalesce(least((select min((r ->> 'number')::integer) from json_array_elements(steps::json -> 'results') r
                         where r ->> 'status' = 'dead'),
                        case when status <> 'succeeded' and (not steps_are_over(steps) or code = 'ERASED')
                             then (steps::json ->> 'number')::integer end), 1) $$;

CREATE FUNCTION public.flat_steps(steps jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case
    when not jsonb_path_exists(steps, '$[*] ? (@.type == "choose")') then steps
    else (select jsonb_agg(n.step order by n.number) from numbered_steps(steps) n) end $_$;

CREATE FUNCTION public.follow_shipment() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  is_in boolean := tg_op <> 'DELETE' and new.dispatch_id is not null and new.deleted_at is null;
  was_in boolean := tg_op <> 'INSERT' and old.dispatch_id is not null and old.deleted_at is null;
  same boolean := is_in and was_in and new.dispatch_id = old.dispatch_id;
begin
  if was_in and not same then
    delete from dispatch_stops s using dispatches d
    where s.business_id = old.business_id and s.dispatch_id = old.dispatch_id and s.shipment_id = old.guid
      and d.business_id = s.business_id and d.guid = s.dispatch_id and d.status in ('draft', 'ready');
    perform complete_dispatch_if_done(old.business_id, old.dispatch_id);
  end if;
  if is_in and not same then
    insert into dispatch_stops (business_id, dispatch_id, shipment_id, sequence)
    select new.business_id, d.guid, new.guid,
           coalesce((select max(s.sequence) from dispatch_stops s
                     where s.business_id = d.business_id and s.dispatch_id = d.guid), 0) + 1
    from dispatches d
    where d.business_id = new.business_id and d.guid = new.dispatch_id
      and d.status in ('draft', 'ready', 'in_progress') and d.deleted_at is null
    on conflict do nothing;
  end if;
  if same and is_final(new.status) and not is_final(old.status) then
    perform complete_dispatch_if_done(new.business_id, new.dispatch_id);
  end if;
  return null;
end $$;

CREATE FUNCTION public.found_text(s public.shipments) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select pg_catalog.lower(
    coalesce(s.tracking_number, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_name, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_city, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.carrier_tracking_number, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(s.recipient_company, '')) $$;

CREATE FUNCTION public.further_search_text(s public.shipments) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(coalesce(s.carrier_tracking_number, '') || E'\n' || coalesce(s.recipient_company, '')) $$;

CREATE FUNCTION public.guid_time(guid uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    AS $$
  select to_timestamp(('x' || left(replace(guid::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

CREATE FUNCTION public.has_own_holder(key bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select exists (select from pg_locks l join pg_stat_activity a on a.pid = l.pid
                 where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                   and l.database = (select d.oid from pg_database d where d.datname = current_database())
                   and ((l.classid::bigint << 32) | l.objid::bigint) = key
                   and pg_has_role(a.usesysid, (select c.relowner from pg_class c
                                                where c.oid = 'public.workers'::regclass), 'usage')) $$;

CREATE FUNCTION public.has_reached(steps text, definition jsonb, first integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select case
    when not jsonb_path_exists(definition, '$[*] ? (@.type == "choose")') then true
    else not in_way_not_taken(steps, first, first)
         and coalesce((select n.choices from numbered_steps(definition) n where n.number = first), '{}')
             <@ array(select (r ->> 'number')::integer from jsonb_array_elements(steps::jsonb -> 'results') r
                      where r ? 'way') end $_$;

CREATE FUNCTION public.hours_and_minutes(duration interval) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select floor(extract(epoch from duration) / 3600) || 'h ' || floor(extract(epoch from duration) / 60)::bigint % 60 || 'm' $$;

CREATE FUNCTION public.in_unit(measure numeric, unit text, wanted text) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when unit = wanted then measure else trim_scale(round(measure * (
    select max(factor) filter (where name = unit) / max(factor) filter (where name = wanted)
    from (values ('m', 1), ('cm', 0.01), ('in', 0.0254), ('kg', 1), ('g', 0.001), ('lb', 0.45359237),
                 ('oz', 0.028349523125)) u (name, factor)), 4)) end $$;

CREATE FUNCTION public.in_way_not_taken(steps text, step integer, first integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when steps !~ '"passed":' then false
    else exists (
      select from jsonb_array_elements(steps::jsonb -> 'results') c
      where (c ->> 'number')::integer < first and c ? 'passed'
        and step between (c -> 'passed' ->> 0)::integer and (c -> 'passed' ->> 1)::integer) end $$;

CREATE FUNCTION public.is_final(shipment_status text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select shipment_status in ('delivered', 'returned', 'cancelled') $$;

CREATE FUNCTION public.is_late(s public.shipments) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select s.status not in ('delivered', 'returned', 'cancelled') and s.estimated_delivery < now()
         and (s.estimated_delivery < date_trunc('day', now(), 'UTC')
              or s.estimated_delivery is distinct from due_date(s.collection_date, s.created_at, s.service_level)) $$;

CREATE FUNCTION public.is_mailed_to_administrators(cause text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select cause in ('label_unknown', 'label_doubled') $$;

CREATE FUNCTION public.is_notify_due() RETURNS boolean
    LANGUAGE sql
    AS $$
  select coalesce(pg_catalog.current_setting('waybill.notify', true), '') operator(pg_catalog.<>) 'off'
         and coalesce(pg_catalog.pg_sequence_last_value('public.idle_until'), 0)::double precision
             operator(pg_catalog.>) pg_catalog.date_part('epoch', pg_catalog.now()) $$;

CREATE FUNCTION public.is_working_day(day date, workdays jsonb, holidays jsonb) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select workdays ? to_char(day, 'dy') and not holidays ? to_char(day, 'YYYY-MM-DD') $$;

CREATE FUNCTION public.items_value(items json) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(round(sum((i ->> 'quantity')::numeric * coalesce((i ->> 'price')::numeric, 0)), 2), 0)
  from json_array_elements(items) i $$;

CREATE FUNCTION public.items_with_guids(items jsonb, before jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.keep_order_times() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.updated_at := pg_catalog.now();
  if new.status operator(pg_catalog.<>) old.status then
    new.status_changed_at := pg_catalog.clock_timestamp();
  end if;
  return new;
end $$;

CREATE FUNCTION public.label_locks(label_status text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(label_status in ('buying', 'bought', 'unknown', 'voiding'), false) $$;

CREATE FUNCTION public.last_event(business uuid, record uuid) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  select coalesce((select e.id from events e where e.business_id = business and e.entity_id = record order by e.id desc limit 1), 0) $$;

CREATE FUNCTION public.latency_bucket(latency interval) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select greatest(0, ceil(8 * ln(greatest(extract(epoch from latency) * 1000, 1)) / ln(2.0)))::integer $$;

CREATE FUNCTION public.lease_end(worker uuid) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select coalesce((select b.expires_at from worker_beats b where b.worker = lease_end.worker order by b.id desc limit 1),
                  '-infinity') $$;

CREATE FUNCTION public.limit_carriers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.octet_length(new.name), pg_catalog.octet_length(new.code)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('name', old.name, new.name, 200);
    perform public.refuse_long_text('code', old.code, new.code, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.tracking_url_pattern)) operator(pg_catalog.>) 2000 then
    perform public.refuse_long_text('tracking_url_pattern', old.tracking_url_pattern, new.tracking_url_pattern, 2000);
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_customers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.pg_column_size(new.contacts), pg_catalog.pg_column_size(new.reference_list)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_list('contacts', old.contacts::pg_catalog.jsonb, new.contacts::pg_catalog.jsonb, 1000, 200);
    perform public.refuse_long_list('reference_list', old.reference_list::pg_catalog.jsonb, new.reference_list::pg_catalog.jsonb, 1000, 200);
  end if;
  if greatest(pg_catalog.pg_column_size(new.metadata)) operator(pg_catalog.>) 40 then
    perform public.refuse_long_metadata('metadata', old.metadata, new.metadata);
  end if;
  if greatest(pg_catalog.pg_column_size(new.tags)) operator(pg_catalog.>) 50 then
    perform public.refuse_long_list('tags', old.tags::pg_catalog.jsonb, new.tags::pg_catalog.jsonb, 50, 50);
  end if;
  if greatest(pg_catalog.octet_length(new.name), pg_catalog.octet_length(new.phone), pg_catalog.octet_length(new.company), pg_catalog.octet_length(new.street), pg_catalog.octet_length(new.city), pg_catalog.octet_length(new.state), pg_catalog.octet_length(new.postal_code), pg_catalog.octet_length(new.country), pg_catalog.octet_length(new.external_reference)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('name', old.name, new.name, 200);
    perform public.refuse_long_text('phone', old.phone, new.phone, 200);
    perform public.refuse_long_text('company', old.company, new.company, 200);
    perform public.refuse_long_text('street', old.street, new.street, 200);
    perform public.refuse_long_text('city', old.city, new.city, 200);
    perform public.refuse_long_text('state', old.state, new.state, 200);
    perform public.refuse_long_text('postal_code', old.postal_code, new.postal_code, 200);
    perform public.refuse_long_text('country', old.country, new.country, 200);
    perform public.refuse_long_text('external_reference', old.external_reference, new.external_reference, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.email)) operator(pg_catalog.>) 254 then
    perform public.refuse_long_text('email', old.email, new.email, 254);
  end if;
  new.external_reference := public.written_code(old.external_reference, new.external_reference);
  new.tags := public.written_tags(old.tags, new.tags);
  new.email := public.written_email(old.email, new.email);
  if coalesce(old.contacts, '[]') operator(pg_catalog.<>) new.contacts then
    new.contacts := public.items_with_guids(new.contacts, old.contacts);
    new.contacts := public.with_members(new.contacts, '{"name": null, "email": null, "phone": null, "role": null}');
  end if;
  if coalesce(old.reference_list, '[]') operator(pg_catalog.<>) new.reference_list then
    new.reference_list := public.items_with_guids(new.reference_list, old.reference_list);
    new.reference_list := public.with_members(new.reference_list, '{"type": null, "value": null}');
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_customs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
declare
  entries pg_catalog.jsonb;
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if pg_catalog.pg_column_size(new.customs) operator(pg_catalog.>) 200 then
    perform public.refuse_long_list('customs.items', old.customs operator(pg_catalog.->) 'items',
                                      new.customs operator(pg_catalog.->) 'items', 1000, 200);
    perform public.refuse_long_text('customs.contents', old.customs operator(pg_catalog.->>) 'contents',
                                      new.customs operator(pg_catalog.->>) 'contents', 200);
    perform public.refuse_long_text('customs.incoterm', old.customs operator(pg_catalog.->>) 'incoterm',
                                      new.customs operator(pg_catalog.->>) 'incoterm', 200);
  end if;
  if pg_catalog.jsonb_typeof(new.customs) operator(pg_catalog.=) 'object'
     and old.customs operator(pg_catalog.=) new.customs is not true then
    entries := new.customs operator(pg_catalog.->) 'items';
    if coalesce(pg_catalog.jsonb_typeof(entries), 'null') operator(pg_catalog.=) 'null' then entries := '[]'; end if;
    new.customs := '{"contents": null, "incoterm": null}'::pg_catalog.jsonb operator(pg_catalog.||) new.customs
      operator(pg_catalog.||) pg_catalog.jsonb_build_object('items', public.with_members(entries, '{"description": null,
        "quantity": null, "value": null, "currency": null, "weight": null, "hsCode": null, "originCountry": null}'));
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_integrations() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.octet_length(new.store_url)) operator(pg_catalog.>) 2000 then
    perform public.refuse_long_text('store_url', old.store_url, new.store_url, 2000);
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_orders() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.pg_column_size(new.items)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_list('items', old.items::pg_catalog.jsonb, new.items::pg_catalog.jsonb, 5000, 200);
  end if;
  if greatest(pg_catalog.pg_column_size(new.metadata)) operator(pg_catalog.>) 40 then
    perform public.refuse_long_metadata('metadata', old.metadata, new.metadata);
  end if;
  if greatest(pg_catalog.pg_column_size(new.tags)) operator(pg_catalog.>) 50 then
    perform public.refuse_long_list('tags', old.tags::pg_catalog.jsonb, new.tags::pg_catalog.jsonb, 50, 50);
  end if;
  if greatest(pg_catalog.octet_length(new.order_number), pg_catalog.octet_length(new.delivery_street), pg_catalog.octet_length(new.delivery_city), pg_catalog.octet_length(new.delivery_state), pg_catalog.octet_length(new.delivery_postal_code), pg_catalog.octet_length(new.delivery_country), pg_catalog.octet_length(new.delivery_name), pg_catalog.octet_length(new.delivery_company), pg_catalog.octet_length(new.delivery_phone), pg_catalog.octet_length(new.service_level), pg_catalog.octet_length(new.shipping_method), pg_catalog.octet_length(new.collection_start), pg_catalog.octet_length(new.collection_end), pg_catalog.octet_length(new.external_reference)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('order_number', old.order_number, new.order_number, 200);
    perform public.refuse_long_text('delivery_street', old.delivery_street, new.delivery_street, 200);
    perform public.refuse_long_text('delivery_city', old.delivery_city, new.delivery_city, 200);
    perform public.refuse_long_text('delivery_state', old.delivery_state, new.delivery_state, 200);
    perform public.refuse_long_text('delivery_postal_code', old.delivery_postal_code, new.delivery_postal_code, 200);
    perform public.refuse_long_text('delivery_country', old.delivery_country, new.delivery_country, 200);
    perform public.refuse_long_text('delivery_name', old.delivery_name, new.delivery_name, 200);
    perform public.refuse_long_text('delivery_company', old.delivery_company, new.delivery_company, 200);
    perform public.refuse_long_text('delivery_phone', old.delivery_phone, new.delivery_phone, 200);
    perform public.refuse_long_text('service_level', old.service_level, new.service_level, 200);
    perform public.refuse_long_text('shipping_method', old.shipping_method, new.shipping_method, 200);
    perform public.refuse_long_text('collection_start', old.collection_start, new.collection_start, 200);
    perform public.refuse_long_text('collection_end', old.collection_end, new.collection_end, 200);
    perform public.refuse_long_text('external_reference', old.external_reference, new.external_reference, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.delivery_email)) operator(pg_catalog.>) 254 then
    perform public.refuse_long_text('delivery_email', old.delivery_email, new.delivery_email, 254);
  end if;
  if greatest(pg_catalog.octet_length(new.external_id)) operator(pg_catalog.>) 1000 then
    perform public.refuse_long_text('external_id', old.external_id, new.external_id, 1000);
  end if;
  if greatest(pg_catalog.octet_length(new.source_url)) operator(pg_catalog.>) 2000 then
    perform public.refuse_long_text('source_url', old.source_url, new.source_url, 2000);
  end if;
  if greatest(pg_catalog.octet_length(new.notes)) operator(pg_catalog.>) 10000 then
    perform public.refuse_long_text('notes', old.notes, new.notes, 10000);
  end if;
  if least(new.status_changed_at) operator(pg_catalog.<) pg_catalog.timestamptz '0001-01-01 00:00:00+00' or greatest(new.status_changed_at) operator(pg_catalog.>=) pg_catalog.timestamptz '10000-01-01 00:00:00+00' then
    if not (new.status_changed_at operator(pg_catalog.>=) pg_catalog.timestamptz '0001-01-01 00:00:00+00' and new.status_changed_at operator(pg_catalog.<) pg_catalog.timestamptz '10000-01-01 00:00:00+00') then perform public.refuse_endless_time('status_changed_at', old.status_changed_at, new.status_changed_at); end if;
  end if;
  new.external_reference := public.written_code(old.external_reference, new.external_reference);
  new.tags := public.written_tags(old.tags, new.tags);
  new.order_number := coalesce(public.written_code(old.order_number, new.order_number), new.order_number);
  new.delivery_email := public.written_email(old.delivery_email, new.delivery_email);
  if coalesce(old.items::pg_catalog.text, '') operator(pg_catalog.<>) new.items::pg_catalog.text then
    new.items := public.items_with_guids(new.items::pg_catalog.jsonb, old.items::pg_catalog.jsonb);
    new.items := public.with_members(new.items::pg_catalog.jsonb, '{"description": null, "sku": null, "productId": null,
      "quantity": null, "price": null, "dimensions": {"length": null, "width": null, "height": null, "weight": null}}');
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_products() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.pg_column_size(new.variants)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_list('variants', old.variants::pg_catalog.jsonb, new.variants::pg_catalog.jsonb, 1000, 200);
  end if;
  if greatest(pg_catalog.pg_column_size(new.metadata)) operator(pg_catalog.>) 40 then
    perform public.refuse_long_metadata('metadata', old.metadata, new.metadata);
  end if;
  if greatest(pg_catalog.pg_column_size(new.tags)) operator(pg_catalog.>) 50 then
    perform public.refuse_long_list('tags', old.tags::pg_catalog.jsonb, new.tags::pg_catalog.jsonb, 50, 50);
  end if;
  if greatest(pg_catalog.octet_length(new.name), pg_catalog.octet_length(new.sku), pg_catalog.octet_length(new.barcode), pg_catalog.octet_length(new.external_reference)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('name', old.name, new.name, 200);
    perform public.refuse_long_text('sku', old.sku, new.sku, 200);
    perform public.refuse_long_text('barcode', old.barcode, new.barcode, 200);
    perform public.refuse_long_text('external_reference', old.external_reference, new.external_reference, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.description)) operator(pg_catalog.>) 10000 then
    perform public.refuse_long_text('description', old.description, new.description, 10000);
  end if;
  new.external_reference := public.written_code(old.external_reference, new.external_reference);
  new.tags := public.written_tags(old.tags, new.tags);
  new.sku := public.written_code(old.sku, new.sku);
  if coalesce(old.variants, '[]') operator(pg_catalog.<>) new.variants then
    new.variants := public.items_with_guids(new.variants, old.variants);
    new.variants := public.with_members(new.variants, '{"name": null, "sku": null, "priceDifference": null, "weight": null,
      "dimensions": {"length": null, "width": null, "height": null}}');
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_rows() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
declare
  row_count bigint;
begin
  perform from businesses where guid = new.business_id for no key update;
  execute format('select count(*) from %I where business_id = $1 and %s', tg_table_name, tg_argv[0])
    into row_count using new.business_id;
  if row_count >= 1000 then
    raise exception 'business % has 1000 %', new.business_id, tg_table_name
      using errcode = 'program_limit_exceeded', constraint = tg_table_name || '_listed';
  end if;
  return new;
end $_$;

CREATE FUNCTION public.limit_shipment_traces() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.octet_length(new.location), pg_catalog.octet_length(new.external_id)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('location', old.location, new.location, 200);
    perform public.refuse_long_text('external_id', old.external_id, new.external_id, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.description)) operator(pg_catalog.>) 10000 then
    perform public.refuse_long_text('description', old.description, new.description, 10000);
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_shipments() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if greatest(pg_catalog.pg_column_size(new.packages)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_list('packages', old.packages::pg_catalog.jsonb, new.packages::pg_catalog.jsonb, 5000, 200);
  end if;
  if greatest(pg_catalog.pg_column_size(new.metadata)) operator(pg_catalog.>) 40 then
    perform public.refuse_long_metadata('metadata', old.metadata, new.metadata);
  end if;
  if greatest(pg_catalog.pg_column_size(new.tags)) operator(pg_catalog.>) 50 then
    perform public.refuse_long_list('tags', old.tags::pg_catalog.jsonb, new.tags::pg_catalog.jsonb, 50, 50);
  end if;
  if greatest(pg_catalog.octet_length(new.tracking_number), pg_catalog.octet_length(new.sender_name), pg_catalog.octet_length(new.sender_company), pg_catalog.octet_length(new.sender_street), pg_catalog.octet_length(new.sender_city), pg_catalog.octet_length(new.sender_state), pg_catalog.octet_length(new.sender_postal_code), pg_catalog.octet_length(new.sender_country), pg_catalog.octet_length(new.sender_phone), pg_catalog.octet_length(new.recipient_name), pg_catalog.octet_length(new.recipient_company), pg_catalog.octet_length(new.recipient_street), pg_catalog.octet_length(new.recipient_city), pg_catalog.octet_length(new.recipient_state), pg_catalog.octet_length(new.recipient_postal_code), pg_catalog.octet_length(new.recipient_country), pg_catalog.octet_length(new.recipient_phone), pg_catalog.octet_length(new.service_level), pg_catalog.octet_length(new.carrier_tracking_number), pg_catalog.octet_length(new.external_reference)) operator(pg_catalog.>) 200 then
    perform public.refuse_long_text('tracking_number', old.tracking_number, new.tracking_number, 200);
    perform public.refuse_long_text('sender_name', old.sender_name, new.sender_name, 200);
    perform public.refuse_long_text('sender_company', old.sender_company, new.sender_company, 200);
    perform public.refuse_long_text('sender_street', old.sender_street, new.sender_street, 200);
    perform public.refuse_long_text('sender_city', old.sender_city, new.sender_city, 200);
    perform public.refuse_long_text('sender_state', old.sender_state, new.sender_state, 200);
    perform public.refuse_long_text('sender_postal_code', old.sender_postal_code, new.sender_postal_code, 200);
    perform public.refuse_long_text('sender_country', old.sender_country, new.sender_country, 200);
    perform public.refuse_long_text('sender_phone', old.sender_phone, new.sender_phone, 200);
    perform public.refuse_long_text('recipient_name', old.recipient_name, new.recipient_name, 200);
    perform public.refuse_long_text('recipient_company', old.recipient_company, new.recipient_company, 200);
    perform public.refuse_long_text('recipient_street', old.recipient_street, new.recipient_street, 200);
    perform public.refuse_long_text('recipient_city', old.recipient_city, new.recipient_city, 200);
    perform public.refuse_long_text('recipient_state', old.recipient_state, new.recipient_state, 200);
    perform public.refuse_long_text('recipient_postal_code', old.recipient_postal_code, new.recipient_postal_code, 200);
    perform public.refuse_long_text('recipient_country', old.recipient_country, new.recipient_country, 200);
    perform public.refuse_long_text('recipient_phone', old.recipient_phone, new.recipient_phone, 200);
    perform public.refuse_long_text('service_level', old.service_level, new.service_level, 200);
    perform public.refuse_long_text('carrier_tracking_number', old.carrier_tracking_number, new.carrier_tracking_number, 200);
    perform public.refuse_long_text('external_reference', old.external_reference, new.external_reference, 200);
  end if;
  if greatest(pg_catalog.octet_length(new.recipient_email)) operator(pg_catalog.>) 254 then
    perform public.refuse_long_text('recipient_email', old.recipient_email, new.recipient_email, 254);
  end if;
  if greatest(pg_catalog.octet_length(new.carrier_tracking_url)) operator(pg_catalog.>) 2000 then
    perform public.refuse_long_text('carrier_tracking_url', old.carrier_tracking_url, new.carrier_tracking_url, 2000);
  end if;
  if greatest(pg_catalog.octet_length(new.instructions)) operator(pg_catalog.>) 10000 then
    perform public.refuse_long_text('instructions', old.instructions, new.instructions, 10000);
  end if;
  if least(new.status_changed_at, new.last_trace_at) operator(pg_catalog.<) pg_catalog.timestamptz '0001-01-01 00:00:00+00' or greatest(new.status_changed_at, new.last_trace_at) operator(pg_catalog.>=) pg_catalog.timestamptz '10000-01-01 00:00:00+00' then
    if not (new.status_changed_at operator(pg_catalog.>=) pg_catalog.timestamptz '0001-01-01 00:00:00+00' and new.status_changed_at operator(pg_catalog.<) pg_catalog.timestamptz '10000-01-01 00:00:00+00') then perform public.refuse_endless_time('status_changed_at', old.status_changed_at, new.status_changed_at); end if;
    if not (new.last_trace_at operator(pg_catalog.>=) pg_catalog.timestamptz '0001-01-01 00:00:00+00' and new.last_trace_at operator(pg_catalog.<) pg_catalog.timestamptz '10000-01-01 00:00:00+00') then perform public.refuse_endless_time('last_trace_at', old.last_trace_at, new.last_trace_at); end if;
  end if;
  new.external_reference := public.written_code(old.external_reference, new.external_reference);
  new.tags := public.written_tags(old.tags, new.tags);
  new.tracking_number := coalesce(public.written_number(old.tracking_number, new.tracking_number), new.tracking_number);
  new.carrier_tracking_number := public.written_number(old.carrier_tracking_number, new.carrier_tracking_number);
  new.recipient_email := public.written_email(old.recipient_email, new.recipient_email);
  if coalesce(old.packages, '[]') operator(pg_catalog.<>) new.packages then
    new.packages := public.with_members(new.packages, '{"length": null, "width": null, "height": null, "weight": null}');
  end if;
  return new;
end $$;

CREATE FUNCTION public.limit_text() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if coalesce(current_setting('waybill.cause', true), '') <> ''
     and (session_user = current_user or pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  perform public.refuse_long_text(tg_argv[0], case when tg_op = 'UPDATE' then to_jsonb(old) ->> tg_argv[0] end,
                                    to_jsonb(new) ->> tg_argv[0], tg_argv[1]::integer);
  return new;
end $$;

CREATE FUNCTION public.list_element(list jsonb, element_guid text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select e from jsonb_array_elements(list) with ordinality l (e, n) where lower(e ->> 'guid') = element_guid
  order by n limit 1 $$;

CREATE FUNCTION public.list_with_changed(list jsonb, element_guid text, change jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(jsonb_agg(case when lower(e ->> 'guid') = element_guid then changed_element(e, change) else e end
                            order by n), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;

CREATE FUNCTION public.list_without(list jsonb, element_guid text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(jsonb_agg(e order by n) filter (where lower(e ->> 'guid') is distinct from element_guid), '[]')
  from jsonb_array_elements(list) with ordinality l (e, n) $$;

CREATE FUNCTION public.list_without(list text, records uuid[]) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select json_build_object('count', count(i.item), 'items', coalesce(json_agg(i.item order by i.n) filter (where i.item is not null), '[]'),
                           'by', list::json -> 'by')::text
  from (select 1) one
  left join json_array_elements(list::json -> 'items') with ordinality i (item, n)
    on (i.item ->> 'guid')::uuid <> all (records) $$;

CREATE FUNCTION public.list_without_events(list text, events bigint[]) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select json_build_object('count', count(i.item), 'items', coalesce(json_agg(i.item order by i.n) filter (where i.item is not null), '[]'),
                           'by', case when count(i.item) > 0 then list::json -> 'by' end)::text
  from (select 1) one
  left join json_array_elements(list::json -> 'items') with ordinality i (item, n)
    on (i.item #>> '{event,id}')::bigint <> all (events) $$;

CREATE FUNCTION public.lower_tags(tags jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT
    RETURN ARRAY(SELECT lower(tag.value) AS lower FROM jsonb_array_elements_text(lower_tags.tags) tag(value));

CREATE FUNCTION public.make_partition(parent text, first date) RETURNS boolean
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $_$
declare
  part text := parent || to_char(first, '_YYYYMMDD');
  other text := parent || '_other';
  starts timestamptz := first::timestamp at time zone 'UTC';
  ends timestamptz := (first + partition_days(parent))::timestamp at time zone 'UTC';
  move text := format('with held as (delete from only %1$I where %2$I >= %3$L and %2$I < %4$L returning *)
                       insert into %5$I select * from held',
                      other, case parent when 'runs' then 'created_at' else 'at' end, starts, ends, part);
  unexamined text;
  owner regrole;
begin
  perform from work_locks where kind = 'partitions' for update skip locked;
  if not found or to_regclass(part) is not null then
    return false;
  end if;
  execute format('create table if not exists %I partition of %I default', other, parent);
  execute format('create table %I (like %I including all)', part, parent);
  select relowner into owner from pg_class where oid = parent::regclass and relowner <> current_user::regrole;
  if owner is not null then
    execute format('alter table %I owner to %s', part, owner);
  end if;
  if parent = 'events' then
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', part);
    execute format('alter table %I replica identity full', part);
  end if;
  execute format('alter table %I set (autovacuum_analyze_scale_factor = 1)', part);
  select string_agg(format('alter %I set statistics 0', a.attname), ', ') into unexamined
  from pg_attribute a
  where parent in ('events', 'runs') and a.attrelid = part::regclass and a.attnum > 0 and not a.attisdropped
    and (a.attname in ('cause', 'request', 'body', 'tries', 'error') or a.attname ~ '_(before|after)$');
  if unexamined is not null then
    execute format('alter table %I %s', part, unexamined);
  end if;
  execute move;  -- writers and readers continue meanwhile
  -- A writer that has already chosen the default partition would fail there once its rows belong to the new one. So the
  -- first lock stops writers before they choose a partition.
  execute format('lock table only %I in share row exclusive mode', parent);
  execute format('lock table only %I in access exclusive mode', other);
  execute move;  -- rows written since
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, starts, ends);
  return true;
end $_$;

CREATE FUNCTION public.make_partitions(first date, last date) RETURNS void
    LANGUAGE sql
    AS $$
  select make_partitions_of(array['events', 'runs'], first, last) $$;

CREATE FUNCTION public.make_partitions_of(parents text[], first date, last date) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  wanted record;
begin
  perform from work_locks where kind = 'partitions' for update;
  for wanted in select parent, day::date
                from unnest(parents) parent, generate_series(first, last, interval '1 day' * partition_days(parent)) day loop
    begin
      perform make_partition(wanted.parent, wanted.day);
    exception when others then
      raise warning 'the partition of % for % is not created: %', wanted.parent, wanted.day, sqlerrm;
    end;
  end loop;
end $$;

CREATE FUNCTION public.make_position_partitions(first date, last date) RETURNS void
    LANGUAGE sql
    AS $$
  select make_partitions_of(array['positions'], date_trunc('week', first::timestamp)::date, last) $$;

CREATE PROCEDURE public.measure_texts(IN record regclass)
    LANGUAGE plpgsql
    AS $_$
declare
  sizes text;
begin
  select string_agg(format('octet_length(r.%I)', a.attname), ', ' order by a.attnum) into sizes
  from pg_attribute a
  where a.attrelid = record and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype;
  execute format($create$
create or replace function bounded_record(r %1$s) returns bytea language plpgsql stable strict as $function$
begin
  if greatest(pg_column_size(r), %2$s) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $function$
$create$, record, sizes);
end $_$;

CREATE FUNCTION public.meets_trigger(stored text, code text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $_$
  select form = code or starts_with(form, code || ':')
         or (starts_with(form, 'any:') and (code = any (string_to_array(substr(form, 5), ','))
                                            or right(form, 1) = '*' and starts_with(code, rtrim(substr(form, 5), '*'))))
  from (select regexp_replace(unnumbered_form(stored), ':\{.*$', '') as form) s $_$;

CREATE FUNCTION public.merge_pending_entries(search_index oid) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
begin
  return gin_clean_pending_list(search_index);
exception when internal_error then
  if exists (select from pg_class c where c.oid = search_index) then
    raise;
  end if;
  return 0;
end $$;

CREATE FUNCTION public.merged_changes(metadata jsonb, changes jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (jsonb_typeof((changes -> 'metadata'::text)) = 'object'::text) THEN (changes || jsonb_build_object('metadata', NULLIF(jsonb_strip_nulls((COALESCE(metadata, '{}'::jsonb) || (changes -> 'metadata'::text))), '{}'::jsonb))) ELSE changes END;

CREATE FUNCTION public.message_guid(run uuid, step integer) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select encode(set_byte(b.bytes, 15, get_byte(b.bytes, 15) # (step - 1)), 'hex')::uuid from (select uuid_send(run) as bytes) b $$;

CREATE FUNCTION public.messages_of(action text, status text, code text, created_at timestamp with time zone, finished_at timestamp with time zone, replay_of uuid, steps text) RETURNS TABLE(step integer, type text, status text, code text, at timestamp with time zone)
    LANGUAGE sql STABLE ROWS 2 PARALLEL SAFE
    AS $$
  select m.step, m.type,
         case m.status when 'succeeded' then 'sent' when 'dead' then 'dead' when 'skipped' then 'skipped' else 'waiting' end,
         m.code, m.at
  from (select steps::jsonb as stored offset 0) s
  cross join lateral (
    select 1 as step, action as type, status, code, coalesce(finished_at, created_at) as at
    where s.stored is null
    union all
    select (s.stored ->> 'number')::integer, s.stored ->> 'type', status, code,
           coalesce(finished_at, (s.stored ->> 'startedAt')::timestamptz)
    where s.stored ->> 'startedAt' is not null and s.stored -> 'results' -> -1 -> 'number' is distinct from s.stored -> 'number'
    union all
    select (r ->> 'number')::integer, r ->> 'type', r ->> 'status', r ->> 'code', (r ->> 'finishedAt')::timestamptz
    from jsonb_array_elements(s.stored -> 'results') r
    where r ->> 'startedAt' is not null
      and (replay_of is null or (r ->> 'finishedAt')::timestamptz >= date_trunc('milliseconds', created_at))
  ) m
  where sends_message(m.type) $$;

CREATE FUNCTION public.metadata_keys(metadata jsonb) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT count(*) AS count FROM jsonb_object_keys(metadata_keys.metadata) jsonb_object_keys(jsonb_object_keys));

CREATE FUNCTION public.metadata_without(metadata jsonb, words text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT jsonb_object_agg(e.key, e.value) AS jsonb_object_agg FROM jsonb_each(metadata_without.metadata) e(key, value) WHERE (NOT public.holds_word((e.value #>> '{}'::text[]), metadata_without.words)));

CREATE FUNCTION public.minutes_east(at timestamp with time zone, zone text) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  select (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) / 60)::int $$;

CREATE FUNCTION public.next_opening(zone text, days integer[], opens time without time zone, closes time without time zone, at timestamp with time zone, OUT opens_at timestamp with time zone, OUT closes_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  day date;
begin
  for day in select d::date from generate_series(date_trunc('day', at at time zone zone) - interval '1 day',
                                                 at at time zone zone + interval '15 days', interval '1 day') d
             where extract(isodow from d)::integer = any (days) loop
    opens_at := first_moment_of(day + opens, zone);
    closes_at := first_moment_of(day + closes + case when closes < opens then interval '1 day' else interval '0' end, zone);
    if closes_at > at and closes_at > opens_at then return; end if;
  end loop;
  opens_at := null;
  closes_at := null;
exception when invalid_parameter_value then
  opens_at := null;
  closes_at := null;
end $$;

CREATE FUNCTION public.next_opening(zone text, days integer[], opens time without time zone, closes time without time zone, at timestamp with time zone, workdays jsonb, holidays jsonb, OUT opens_at timestamp with time zone, OUT closes_at timestamp with time zone, OUT is_known boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  day date;
begin
  is_known := true;
  for day in select d::date from generate_series(date_trunc('day', at at time zone zone) - interval '1 day',
                                                 at at time zone zone + interval '60 days', interval '1 day') d
             where extract(isodow from d)::integer = any (days)
               and (workdays is null or is_working_day(d::date, workdays, holidays)) loop
    opens_at := first_moment_of(day + opens, zone);
    closes_at := first_moment_of(day + closes + case when closes < opens then interval '1 day' else interval '0' end, zone);
    if closes_at > at and closes_at > opens_at then return; end if;
  end loop;
  opens_at := null;
  closes_at := null;
exception when invalid_parameter_value then
  opens_at := null;
  closes_at := null;
  is_known := false;
end $$;

CREATE FUNCTION public.next_order_number(business uuid) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  number bigint;
  candidate text;
begin
  insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from order_numbers where business_id = business for update;
  loop
    number := number + 1;
    candidate := 'ORD-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from orders where business_id = business and order_number = candidate
                          and deleted_at is null and integration_id is null);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return candidate;
end $$;

CREATE FUNCTION public.next_order_numbers(business uuid, wanted bigint, taken text[]) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
declare
  number bigint;
  step bigint := wanted;
  found_numbers text[] := '{}';
begin
  if wanted = 0 then
    return found_numbers;
  end if;
  loop
    select last_number into number from order_numbers where business_id = business for update;
    exit when found;
    insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  end loop;
  while step > 0 loop
    found_numbers := found_numbers || array(
      select c.candidate
      from (select n, 'ORD-' || lpad(n::text, greatest(6, length(n::text)), '0') as candidate
            from generate_series((select number + 1), (select number + step)) n) c
      where c.candidate <> all (taken)
        -- `not exists` could be planned as a hash table of all numbers of the business.
        and (select guid from orders where business_id = business and order_number = c.candidate
             and deleted_at is null and integration_id is null limit 1) is null
      order by c.n);
    number := number + step;
    step := wanted - cardinality(found_numbers);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return found_numbers;
end $$;

CREATE FUNCTION public.next_sku(business uuid) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  number bigint;
  candidate text;
begin
  insert into sku_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from sku_numbers where business_id = business for update;
  loop
    number := number + 1;
    candidate := 'SKU-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from product_skus where business_id = business and sku = candidate);
  end loop;
  update sku_numbers set last_number = number where business_id = business;
  return candidate;
end $$;

CREATE FUNCTION public.next_tick(minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[], either_day boolean, zone text, after timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
declare
  known text := zone;
  today date;
  years integer;
  tick timestamptz;
begin
  begin
    today := (after at time zone zone)::date;
  exception when invalid_parameter_value then
    known := 'UTC';
    today := (after at time zone 'UTC')::date;
  end;
  foreach years in array array[1, 40] loop  -- most expressions come due within a year
    select min(m.moment) into tick
    from (select n.day + make_interval(hours => h.hour, mins => t.minute) as clock
          from (select d::date as day
                from generate_series(today, today + years * 366, interval '1 day') d
                where extract(month from d) = any (months)
                  and case when either_day then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
                           else extract(day from d) = any (days) and extract(dow from d) = any (weekdays) end
                limit 2) n,
               unnest(hours) h (hour), unnest(minutes) t (minute)
          where n.day + make_interval(hours => h.hour, mins => t.minute) > after at time zone known
          order by 1
          limit 121) c,
         lateral (select first_moment_of(c.clock, known) as moment offset 0) m
    where m.moment > after;
    exit when tick is not null;
  end loop;
  return tick;
end $$;

CREATE FUNCTION public.note_changed_zone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into changed_zones (business_id)
  select new.guid where exists (select from schedules where business_id = new.guid)
  on conflict do nothing;
  return null;
end $$;

CREATE FUNCTION public.note_resumption() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.resumed_at := now();
  return new;
end $$;

CREATE FUNCTION public.number_in(document jsonb, member text) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    RETURN CASE jsonb_typeof((document -> member)) WHEN 'number'::text THEN ((document -> member))::numeric ELSE NULL::numeric END;

CREATE FUNCTION public.numbered_steps(steps jsonb) RETURNS TABLE(number integer, step jsonb, choices integer[])
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  with recursive walk (path, step) as (
    select array[t.n], t.step from jsonb_array_elements(steps) with ordinality t (step, n)
    union all
    select w.path || c.way || c.n, c.step
    from walk w
    cross join lateral (
      select 1::bigint as way, t.step, t.n
      from jsonb_array_elements(case jsonb_typeof(w.step -> 'then') when 'array' then w.step -> 'then' end)
        with ordinality t (step, n)
      union all
      select 2, t.step, t.n
      from jsonb_array_elements(case jsonb_typeof(w.step -> 'otherwise') when 'array' then w.step -> 'otherwise' end)
        with ordinality t (step, n)) c
  ), numbered as (
    select path, step, (row_number() over (order by path))::integer as number from walk
  )
  select s.number, s.step - 'then' - 'otherwise',
         coalesce((select array_agg(c.number) from numbered c
                   where cardinality(c.path) < cardinality(s.path) and c.path = s.path[1:cardinality(c.path)]), '{}')
  from numbered s $$;

CREATE FUNCTION public.on_time(s public.shipments) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select s.delivered_at <= s.estimated_delivery
         or (s.estimated_delivery = due_date(s.collection_date, s.created_at, s.service_level)
             and date_trunc('day', s.delivered_at at time zone 'UTC')
                 <= date_trunc('day', s.estimated_delivery at time zone 'UTC')) $$;

CREATE FUNCTION public.own_data_count(business uuid, type smallint, value text, OUT records bigint, OUT newest_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $_$
begin
  execute format('select count(*), max(created_at) from public.%I where business_id = $1 and deleted_at is null and %s',
                 (array['orders', 'shipments', 'customers', 'products'])[type + 1],
                 case left(value, 1) when 'r' then 'external_reference = substr($2, 2)'
                                     when 't' then 'lower_tags(tags) @> array[(select substr($2, 2))]'
                                     else 'metadata @> substr($2, 2)::jsonb' end)
    into records, newest_at using business, value;
end $_$;

CREATE FUNCTION public.own_session_start() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select backend_start from pg_stat_get_activity(pg_backend_pid()) $$;

CREATE FUNCTION public.own_values(reference text, tags jsonb, metadata jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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

CREATE FUNCTION public.partition_days(parent text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select case parent when 'positions' then 7 else 1 end $$;

CREATE FUNCTION public.pending_status(attempts integer, steps text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when attempts_of_step(attempts, steps) > 0 then 'retrying' else 'queued' end $$;

CREATE FUNCTION public.plan_workflow_timer() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  form text := unnumbered_form(new.trigger_code);
begin
  if not starts_with(form, 'timer:') and not starts_with(form, 'schedule:') then
    new.timer_plan := null;
    new.timer_since := null;
    return new;
  elsif tg_op = 'UPDATE' and form = unnumbered_form(old.trigger_code) and new.entity_type = old.entity_type
        and old.timer_plan is not null then
    return new;
  end if;
  new.timer_plan := new.version;
  new.timer_since := clock_timestamp();
  if starts_with(form, 'schedule:') then
    insert into schedules as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update
    set plan = excluded.plan, next_at = null, check_at = excluded.check_at;
  else
    insert into timer_scans as s (business_id, workflow_id, plan) values (new.business_id, new.guid, new.version)
    on conflict (business_id, workflow_id) do update
    set plan = excluded.plan, position = excluded.position, since = excluded.since;
  end if;
  return new;
end $$;

CREATE FUNCTION public.process_lives(process uuid) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select coalesce((select session_lives(p.session_pid, p.session_start) from processes p
                   where p.guid = process and p.session_pid is not null),
                  exists (select from pg_locks l
                          where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                            and l.database = (select d.oid from pg_database d where d.datname = current_database())
                            and ((l.classid::bigint << 32) | l.objid::bigint) = worker_lock(process))) $$;

CREATE FUNCTION public.purchase_status(status text, void_state text, lookups integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when status = 'bought' and void_state = 'refused' then 'void_refused'
              when status = 'voiding' and void_state = 'unknown' and lookups > 0 then 'void_unknown' else status end $$;

CREATE TABLE public.push_subscriptions (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid,
    endpoint text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT push_subscriptions_endpoint_check CHECK ((length(endpoint) <= 2000))
);

CREATE FUNCTION public.push_audience(business uuid, recipient uuid) RETURNS SETOF public.push_subscriptions
    LANGUAGE sql STABLE
    AS $$
  select s.* from push_subscriptions s
  where s.business_id = business and (recipient is null or s.user_id = recipient)
    and (s.user_id is null or exists (select from users u where u.guid = s.user_id and u.business_id = business)) $$;

CREATE FUNCTION public.random_token() RETURNS uuid
    LANGUAGE sql
    RETURN (encode(substr(sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))), 1, 16), 'hex'::text))::uuid;

CREATE FUNCTION public.recipient_text(o public.orders) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select pg_catalog.lower(nullif(
    coalesce(o.delivery_name, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_company, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_phone, '') operator(pg_catalog.||) E'\n'
      operator(pg_catalog.||) coalesce(o.delivery_email, ''), E'\n\n\n')) $$;

CREATE FUNCTION public.record_audit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
declare
  is_own constant boolean := session_user = current_user or pg_has_role(session_user, current_user, 'member');
  cause jsonb := event_cause();
  before jsonb := case when tg_op <> 'INSERT' then audit_row(to_jsonb(old)) end;
  after jsonb := case when tg_op <> 'DELETE' then audit_row(to_jsonb(new)) end;
  stored jsonb;
  business uuid;
  entity uuid;
  entity_name text;
  changes jsonb;
begin
  if is_own and current_setting('waybill.audit', true) = 'off' then return null; end if;
  if tg_op = 'INSERT' and tg_table_name = 'business_defaults' then
    before := '{}';  -- a business without the row has these settings, too
  elsif tg_op = 'INSERT' and tg_table_name = 'product_settings' then
    before := '{"auto_generate_sku": false, "default_unit": "cm", "default_weight_unit": "kg"}';
  elsif tg_table_name = 'users' then
    if before ->> 'business_id' is null then before := null; end if;
    if after ->> 'business_id' is null then after := null; end if;
  elsif tg_argv[2] <> '' then
    if before ->> tg_argv[2] is not null then before := null; end if;
    if after ->> tg_argv[2] is not null then after := null; end if;
  end if;
  stored := coalesce(after, before);
  if stored is null then return null; end if;
  business := coalesce(stored ->> 'business_id', stored ->> 'guid');
  entity := stored ->> tg_argv[1];
  if business = catalogue_business() then return null; end if;

  changes := audit_changes(before, after, tg_argv[3:]);
  if tg_table_name = 'workflows' then
    -- A statement that stores a secret also updates its workflow.
    if exists (select from workflow_secrets s where s.business_id = business and s.workflow_id = entity
                                                and s.created_at >= statement_timestamp()) then
      changes := coalesce(changes, '{}') || jsonb_build_object('secret', jsonb_build_object(
        'from', case when before is not null then '********' end, 'to', '********'));
    end if;
  elsif tg_table_name = 'users' and tg_op = 'DELETE' then
    -- The account of the same address takes the invitation: the change of the account has the entry.
    if exists (select from users u where u.guid::text = cause #>> '{by,guid}' and lower(u.email) = lower(before ->> 'email')
                                     and u.password_hash is not null) then
      return null;
    end if;
  elsif tg_table_name = 'carrier_configurations' and tg_op = 'DELETE' then
    -- The deletion of the carrier has the entry.
    if exists (select from carriers k where k.business_id = business and k.guid = entity and k.deleted_at is not null) then
      return null;
    end if;
  end if;
  if changes is null then return null; end if;

  entity_name := case tg_table_name
    when 'users' then coalesce(nullif(concat_ws(' ', stored ->> 'first_name', stored ->> 'last_name'), ''),
                               stored ->> 'email')
    when 'integrations' then regexp_replace(stored ->> 'store_url', '^[a-z]+://', '')
    when 'carrier_configurations' then (select k.name from carriers k
                                        where k.business_id in (business, catalogue_business()) and k.guid = entity)
    when 'business_defaults' then (select b.name from businesses b where b.guid = business)
    when 'product_settings' then (select b.name from businesses b where b.guid = business)
    else stored ->> 'name' end;
  if tg_argv[0] = 'carrier' and before is not null and after is not null and cause #>> '{request,id}' is not null then
    stored := changes;  -- the table has a column of this name
    update audit_log a set changes = a.changes || stored
    where a.business_id = business and a.entity_id = entity and a.at >= now() and a.action = 'updated'
      and a.request_id = cause #>> '{request,id}';
    if found then return null; end if;
  end if;
  insert into audit_log (business_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, entity_name, changes,
                         request_id, address)
  values (business, coalesce(cause #>> '{by,type}', 'sql'), (cause #>> '{by,guid}')::uuid, cause #>> '{by,name}',
          case when before is null then 'created' when after is null then 'deleted' else 'updated' end,
          tg_argv[0], entity, entity_name, changes, cause #>> '{request,id}', cause #>> '{request,address}');
  return null;
end $$;

CREATE FUNCTION public.record_customer_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select o.business_id, o.guid, 2, public.event_cause(),
           row(o.*)::public.customers, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 2, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_customer_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select n.business_id, n.guid, 2, public.event_cause(),
           null, row(n.*)::public.customers
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 2, pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_customer_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, customer_before, customer_after)
    select n.business_id, n.guid, 2, public.event_cause(),
           case when o.deleted_at is null then row(o.*)::public.customers end,
           case when n.deleted_at is null then row(n.*)::public.customers end
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (customer_before is null)::int operator(pg_catalog.-) (customer_after is null)::int as delta
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 2, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_order_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select o.business_id, o.guid, 0, public.event_cause(),
           row(o.*)::public.orders, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at, (order_before).status as status
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into public.status_counts (business_id, entity_type, status_before, records)
    select business_id, 0, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 0, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_order_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, order_before, order_after)
    select n.business_id, n.guid, 0, public.event_cause(),
           null, row(n.*)::public.orders
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at, (order_after).status as status
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into public.status_counts (business_id, entity_type, status_after, records)
    select business_id, 0, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 0, pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_order_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
declare
  event_id bigint;
  event_at timestamptz;
begin
  if old.deleted_at is not null or new.deleted_at is not null then
    if old.deleted_at is not null and new.deleted_at is not null then
      return null;
    end if;
    insert into public.record_counts (business_id, entity_type, delta)
    values (new.business_id, 0, case when new.deleted_at is null then 1 else -1 end);
  end if;
  event_id := pg_catalog.nextval('public.event_ids');
  event_at := pg_catalog.clock_timestamp();
  insert into public.events (id, at, business_id, entity_id, entity_type, cause, order_before, order_after)
  values (event_id, event_at, new.business_id, new.guid, 0, public.event_cause_of(new.guid),
          case when old.deleted_at is null then old end, case when new.deleted_at is null then new end);
  insert into public.pending_events (shard, id, business_id, at)
  values (public.shard_of(new.business_id), event_id, new.business_id, event_at);
  if old.status operator(pg_catalog.<>) new.status or old.deleted_at is not null or new.deleted_at is not null then
    insert into public.status_counts (business_id, entity_type, status_before, status_after, records)
    values (new.business_id, 0, case when old.deleted_at is null then old.status end,
            case when new.deleted_at is null then new.status end, 1);
  end if;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_own_data() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
declare
  before text[] := '{}';
  after text[] := '{}';
begin
  if tg_op operator(pg_catalog.<>) 'INSERT' then
    if old.deleted_at is null then
      before := public.own_values(old.external_reference, old.tags, old.metadata);
    end if;
  end if;
  if tg_op operator(pg_catalog.<>) 'DELETE' then
    if new.deleted_at is null then
      after := public.own_values(new.external_reference, new.tags, new.metadata);
    end if;
  end if;
  if pg_catalog.cardinality(before) operator(pg_catalog.>) 0 and pg_catalog.cardinality(after) operator(pg_catalog.>) 0
     and new.created_at operator(pg_catalog.=) old.created_at then
    insert into public.own_data_changes (business_id, entity_type, added, removed, created_at)
    select new.business_id, tg_argv[0]::pg_catalog.int2, d.added, d.removed, new.created_at
    from (select array(select a.v from pg_catalog.unnest(after) a (v)
                       where (a.v operator(pg_catalog.=) any (before)) is not true) as added,
                 array(select b.v from pg_catalog.unnest(before) b (v)
                       where (b.v operator(pg_catalog.=) any (after)) is not true) as removed) d
    where pg_catalog.cardinality(d.added) operator(pg_catalog.+) pg_catalog.cardinality(d.removed) operator(pg_catalog.>) 0;
  elsif pg_catalog.cardinality(before) operator(pg_catalog.+) pg_catalog.cardinality(after) operator(pg_catalog.>) 0 then
    insert into public.own_data_changes (business_id, entity_type, added, removed, created_at)
    values (coalesce(new.business_id, old.business_id), tg_argv[0]::pg_catalog.int2, after, before,
            coalesce(new.created_at, old.created_at));
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_product_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select o.business_id, o.guid, 3, public.event_cause(),
           row(o.*)::public.products, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 3, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_product_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select n.business_id, n.guid, 3, public.event_cause(),
           null, row(n.*)::public.products
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 3, pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_product_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, product_before, product_after)
    select n.business_id, n.guid, 3, public.event_cause(),
           case when o.deleted_at is null then row(o.*)::public.products end,
           case when n.deleted_at is null then row(n.*)::public.products end
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    where o.deleted_at is null or n.deleted_at is null
    returning id, business_id, at,
              (product_before is null)::int operator(pg_catalog.-) (product_after is null)::int as delta
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 3, pg_catalog.sum(delta) from written where delta operator(pg_catalog.<>) 0 group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_shipment_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select o.business_id, o.guid, 1, public.event_cause(),
           row(o.*)::public.shipments, null
    from old_rows o
    where o.deleted_at is null
    returning id, business_id, at, (shipment_before).status as status
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into public.status_counts (business_id, entity_type, status_before, records)
    select business_id, 1, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 1, operator(pg_catalog.-) pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_shipment_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after)
    select n.business_id, n.guid, 1, public.event_cause(),
           null, row(n.*)::public.shipments
    from new_rows n
    where n.deleted_at is null
    returning id, business_id, at, (shipment_after).status as status
  ), pending as (
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into public.status_counts (business_id, entity_type, status_after, records)
    select business_id, 1, status, pg_catalog.count(*) from written group by business_id, status
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.count(*) from written group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_shipment_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  with written as (
    insert into public.events (business_id, entity_id, entity_type, cause, shipment_before, shipment_after, detail)
    select n.business_id, n.guid, 1, public.event_cause(),
           case when o.deleted_at is null then row(o.*)::public.shipments end,
           case when n.deleted_at is null then row(n.*)::public.shipments end, t.detail
    from new_rows n
    full join old_rows o on o.business_id operator(pg_catalog.=) n.business_id and o.guid operator(pg_catalog.=) n.guid
    left join lateral (
      select pg_catalog.jsonb_build_object('trace', public.trace_json(t)) as detail from public.shipment_traces t
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
    insert into public.pending_events (shard, id, business_id, at)
    select public.shard_of(business_id), id, business_id, at from written
  ), counted as (
    insert into public.status_counts (business_id, entity_type, status_before, status_after, records)
    select business_id, 1, status_before, status_after, pg_catalog.count(*) from written
    where coalesce(status_before, '') operator(pg_catalog.<>) coalesce(status_after, '')
    group by business_id, status_before, status_after
  )
  insert into public.record_counts (business_id, entity_type, delta)
  select business_id, 1, pg_catalog.sum(case when status_before is null then 1 else -1 end) from written
  where (status_before is null) operator(pg_catalog.<>) (status_after is null) group by business_id;
  if public.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;

CREATE FUNCTION public.record_workflow_switch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into workflow_switches (business_id, workflow_id, is_active) values (new.business_id, new.guid, new.is_active);
  return null;
end $$;

CREATE FUNCTION public.reference_text(c public.customers) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(c.external_reference) $$;

CREATE FUNCTION public.reference_text(o public.orders) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(o.external_reference) $$;

CREATE FUNCTION public.reference_text(p public.products) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(p.external_reference) $$;

CREATE FUNCTION public.refuse_endless_time(column_name text, before timestamp with time zone, after timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if after is distinct from before then
    raise datetime_field_overflow using
      message = column_name || ' must be a time in the years 1 to 9999', column = column_name;
  end if;
end $$;

CREATE FUNCTION public.refuse_long_list(column_name text, before jsonb, after jsonb, entries integer, longest integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  long record;
begin
  if after is not distinct from before or jsonb_typeof(after) <> 'array' then  -- a constraint refuses what is no array
    return;
  end if;
  if jsonb_array_length(after) > entries then
    raise string_data_right_truncation using
      message = format('%s must have at most %s entries', column_name, entries), column = column_name;
  end if;
  select e.position - 1 as position, m.key, l.characters into long
  from jsonb_array_elements(after) with ordinality e (entry, position),
       lateral jsonb_each(case jsonb_typeof(e.entry) when 'object' then e.entry else jsonb_build_object('', e.entry) end) m,
       lateral (select case when m.key = 'description' then 10000 when m.key = 'email' then 254
                            when jsonb_typeof(m.value) in ('object', 'array') then 1000 else longest end) l (characters)
  where char_length(m.value #>> '{}') > l.characters or char_length(m.key) > longest
  limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('%s[%s]%s must have at most %s characters', column_name, long.position,
                       case when long.key <> '' then '.' || left(long.key, 40) else '' end, long.characters),
      column = column_name;
  end if;
end $$;

CREATE FUNCTION public.refuse_long_metadata(column_name text, before jsonb, after jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  long text;
begin
  if after is not distinct from before or jsonb_typeof(after) <> 'object' then
    return;
  end if;
  if (select count(*) from jsonb_object_keys(after)) > 50 then
    raise string_data_right_truncation using message = column_name || ' must have at most 50 keys', column = column_name;
  end if;
  select key into long from jsonb_each(after) where char_length(key) > 40 limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('the key %s… of %s must have at most 40 characters', left(long, 40), column_name), column = column_name;
  end if;
  select key into long from jsonb_each_text(after) where char_length(value) > 500 limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('%s.%s must have at most 500 characters', column_name, long), column = column_name;
  end if;
end $$;

CREATE FUNCTION public.refuse_long_text(column_name text, before text, after text, longest integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if char_length(after) > longest and after is distinct from before then
    raise string_data_right_truncation using
      message = format('%s must have at most %s characters', column_name, longest), column = column_name;
  end if;
end $$;

CREATE FUNCTION public.refuse_new_key() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  raise exception 'business_id and guid of % never change', tg_table_name using errcode = 'restrict_violation';
end $$;

CREATE FUNCTION public.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  raise exception 'truncate of % would lose events; use delete', tg_table_name using errcode = 'feature_not_supported';
end $$;

CREATE FUNCTION public.restart_judged_since() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.judged_since = now();
  return new;
end $$;

CREATE FUNCTION public.rows_of(business uuid, part text) RETURNS refcursor
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
declare
  rows refcursor;
  secrets text[] := array(select a.attname::text from pg_attribute a
                          where a.attrelid = format('%I', part)::regclass and a.attnum > 0 and not a.attisdropped
                            and (a.atttypid = 'bytea'::regtype or a.attname in ('password_hash', 'p256dh', 'auth', 'endpoint')));
begin
  open rows no scroll for execute
    format('select (to_jsonb(t) - $2)::text from only %I t where t.business_id = $1', part) using business, secrets;
  return rows;
end $_$;

CREATE FUNCTION public.search_text(c public.customers) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(coalesce(c.name, '') || E'\n' || coalesce(c.email, '') || E'\n' || coalesce(c.phone, '') || E'\n' ||
               coalesce(c.company, '') || E'\n' || coalesce(c.street, '') || E'\n' || coalesce(c.city, '') || E'\n' ||
               coalesce(c.postal_code, '') || E'\n' || coalesce(c.state, '') || E'\n' || coalesce(c.country, '')) $$;

CREATE FUNCTION public.search_text(o public.orders) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(coalesce(o.order_number, '') || E'\n' || coalesce(o.delivery_street, '') || E'\n' ||
               coalesce(o.delivery_city, '') || E'\n' || coalesce(o.delivery_postal_code, '') || E'\n' ||
               coalesce(o.delivery_state, '') || E'\n' || coalesce(o.delivery_country, '') || E'\n' ||
               coalesce(o.notes, '')) $$;

CREATE FUNCTION public.search_text(p public.products) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(coalesce(p.name, '') || E'\n' || coalesce(p.sku, '') || E'\n' || coalesce(p.description, '') || E'\n' ||
               coalesce(p.barcode, '')) $$;

CREATE FUNCTION public.search_text(s public.shipments) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select lower(coalesce(s.tracking_number, '') || E'\n' || coalesce(s.sender_name, '') || E'\n' ||
               coalesce(s.recipient_name, '') || E'\n' || coalesce(s.recipient_street, '') || E'\n' ||
               coalesce(s.recipient_city, '')) $$;

CREATE FUNCTION public.sends_message(type text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select type in ('send_email', 'send_push', 'webhook') $$;

CREATE FUNCTION public.sent_back(s public.shipments) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(s.is_return, false) $$;

CREATE FUNCTION public.session_lives(pid integer, began_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select exists (select from pg_stat_get_activity(session_lives.pid) a
                 where a.backend_start is null or a.backend_start = began_at) $$;

CREATE FUNCTION public.set_shipment_dates() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  moved_at timestamptz(3);
begin
  if new.estimated_delivery is null
     or (tg_op = 'UPDATE' and new.estimated_delivery is not distinct from old.estimated_delivery
         and old.estimated_delivery = coalesce(old.announced_delivery,
                                               due_date(old.collection_date, old.created_at, old.service_level))) then
    new.estimated_delivery := coalesce(new.announced_delivery,
                                       due_date(new.collection_date, new.created_at, new.service_level));
  end if;
  if tg_op = 'INSERT' then
    if new.status = 'delivered' then
      new.delivered_at := coalesce(new.delivered_at, clock_timestamp());
    end if;
    new.status_changed_at := coalesce(new.status_changed_at, new.created_at);
  elsif new.status is distinct from old.status then
    if new.last_trace_id is distinct from old.last_trace_id then
      select t.at into moved_at from shipment_traces t
      where t.business_id = new.business_id and t.shipment_id = new.guid and t.id = new.last_trace_id
        and t.status = new.status and t.is_move;
    end if;
    if moved_at is null then
      insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
      values (new.business_id, new.guid, clock_timestamp(), new.status, status_text(new.status), true)
      returning at, id into moved_at, new.last_trace_id;
    end if;
    if new.status = 'delivered' and new.delivered_at is not distinct from old.delivered_at then
      new.delivered_at := moved_at;
    elsif new.status not in ('delivered', 'returned') then
      new.delivered_at := null;
    end if;
    new.status_changed_at := moved_at;
    new.last_trace_at := greatest(old.last_trace_at, moved_at);
  end if;
  return new;
end $$;

CREATE FUNCTION public.shard_of(business_id uuid) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    RETURN ((uuid_hash(business_id) & 15))::smallint;

CREATE FUNCTION public.shown_request(business uuid, action text, request json, body text) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case
    when action = 'send_push' then
      json_build_object('title', request -> 'title', 'body', body, 'url', request -> 'url', 'subscriptions',
                        (select count(*) from push_audience(business, nullif(request ->> 'subscriptions', 'all')::uuid)))
    when action = 'push_tracking' then (request::jsonb - 'destination')::json
    when action = 'webhook' and request -> 'method' is not null then
      json_build_object('method', request -> 'method', 'url', request -> 'url',
                        'headers', hidden_headers(request -> 'headers'), 'body', body)
    when action = 'webhook' then
      json_build_object('url', request -> 'url', 'headers', hidden_headers(request -> 'headers'), 'body', body)
    when action = 'update_record' then
      (request::jsonb || jsonb_build_object('changes', coalesce((
         select jsonb_object_agg(case c.key when 'carrier_id' then 'carrierId' when 'service_level' then 'serviceLevel'
                                            when 'collection_date' then 'collectionDate'
                                            when 'external_reference' then 'externalReference'
                                            when 'estimated_delivery' then 'deliveryDate'
                                            when 'carrier_tracking_number' then 'carrierTrackingNumber'
                                            when 'carrier_tracking_url' then 'carrierTrackingUrl' else c.key end, c.value)
         from jsonb_each(request::jsonb -> 'changes') c), '{}')))::json
    when body is null then request
    else (request::jsonb || jsonb_build_object('body', body))::json
  end $$;

CREATE FUNCTION public.shown_results(steps text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when steps !~ '"(usedBy|passed)":' then steps::json -> 'results'
    else (select coalesce(json_agg(r.result - 'usedBy' - 'passed' order by r.n), '[]')
          from jsonb_array_elements(steps::jsonb -> 'results') with ordinality r (result, n)) end $$;

CREATE FUNCTION public.shown_steps(action text, status text, code text, error text, finished_at timestamp with time zone, tries text, steps text) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select case
    when steps_are_over(steps) then shown_results(steps)
    when json_array_length(steps::json -> 'results') > 0 then
      (left(shown_results(steps)::text, -1) || ',' || c.step || ']')::json
    else json_build_array(c.step) end
  from (select case when s.name is null then s.step
                    else (left(s.step::text, -1) || ',"name":' || to_json(s.name)::text || '}')::json end as step
        from (select json_build_object(
                'number', coalesce((steps::json ->> 'number')::integer, 1), 'type', coalesce(steps::json ->> 'type', action),
                'status', status, 'code', code, 'error', error,
                'startedAt', case when steps is null then tries::json -> 0 ->> 'startedAt' else steps::json ->> 'startedAt' end,
                'finishedAt', iso(finished_at)) as step,
              steps::json ->> 'name' as name) s) c $$;

CREATE FUNCTION public.shown_text(t text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when octet_length(t) <= 40000 then t else left(t, 10000) end $$;

CREATE FUNCTION public.shown_tries(tries text) RETURNS json
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(json_agg(case when t.try -> 'step' is not null then t.try
                                else (left(t.try::text, -1) || ',"step":1}')::json end order by t.n), '[]')
  from json_array_elements(tries::json) with ordinality t (try, n) $$;

CREATE FUNCTION public.size_of(business uuid, part text, OUT row_count bigint, OUT bytes bigint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $_$
begin
  execute format('select count(*) from only %I where business_id = $1', part) into row_count using business;
  bytes := case when row_count = 0 then 0 else
    (select (pg_total_relation_size(c.oid) * (row_count / greatest(c.reltuples, row_count, 1)::numeric))::bigint
     from pg_class c where c.oid = format('%I', part)::regclass) end;
end $_$;

CREATE FUNCTION public.skus_of(p public.products) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE
    AS $$
  select s from (select p.sku union all select e ->> 'sku' from jsonb_array_elements(p.variants) e) k (s)
  where s is not null and p.deleted_at is null $$;

CREATE FUNCTION public.source_kind(o public.orders) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when o.integration_id is not null then 'import' when o.source_type operator(pg_catalog.=) 'sql' then 'sql'
              else 'api' end $$;

CREATE SEQUENCE public.event_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.events (
    id bigint DEFAULT nextval('public.event_ids'::regclass) NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    business_id uuid NOT NULL,
    entity_type smallint NOT NULL,
    entity_id uuid NOT NULL,
    cause jsonb,
    order_before public.orders,
    order_after public.orders,
    shipment_before public.shipments,
    shipment_after public.shipments,
    customer_before public.customers,
    customer_after public.customers,
    product_before public.products,
    product_after public.products,
    detail jsonb,
    xid xid8 DEFAULT pg_current_xact_id()
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY public.events REPLICA IDENTITY FULL;

CREATE TABLE public.status_history (
    business_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    event_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    status_from text,
    status_to text NOT NULL,
    cause jsonb
);

CREATE FUNCTION public.status_changes(e public.events) RETURNS SETOF public.status_history
    LANGUAGE sql STABLE
    AS $$
  select e.business_id, e.entity_id, e.id, e.at, s.before, s.after, e.cause
  from (select case e.entity_type when 0 then (e.order_before).status else (e.shipment_before).status end as before,
               case e.entity_type when 0 then (e.order_after).status else (e.shipment_after).status end as after) s
  where e.entity_type < 2 and s.after is not null and s.before is distinct from s.after $$;

CREATE FUNCTION public.status_text(status text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case status
    when 'created' then 'Shipment created'
    when 'collected' then 'Collected by the carrier'
    when 'in_transit' then 'In transit'
    when 'out_for_delivery' then 'Out for delivery'
    when 'delivered' then 'Delivered'
    when 'exception' then 'An issue occurred'
    when 'returned' then 'Returned to the sender'
    when 'cancelled' then 'Cancelled'
  end $$;

CREATE FUNCTION public.step_destination(business uuid, run uuid) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select 'steps/' || (get_byte(uuid_send(run), 15) % 8)::text || '/' || business::text $$;

CREATE FUNCTION public.step_number(steps text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when left(steps, 20) ~ '^\{"number":[0-9]{1,9},' then split_part(substr(steps, 11, 10), ',', 1)::integer
              else coalesce((steps::json ->> 'number')::integer, 0) end $$;

CREATE FUNCTION public.step_of_texts(action text, steps text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when steps is null then 1
    when not steps_are_over(steps) and steps::json ->> 'startedAt' is not null then step_number(steps)
    else (select max((r ->> 'number')::integer) from json_array_elements(steps::json -> 'results') r
          where r ->> 'type' = action and r ->> 'startedAt' is not null
            and coalesce(r ->> 'code', '') not in ('CONDITION', 'ERASED', 'INVALID_VALUE', 'PAYLOAD_TOO_LARGE', 'CONFIGURATION_ERROR'))
  end $$;

CREATE FUNCTION public.steps_are_over(steps text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce((steps::json -> 'results' -> -1 ->> 'number')::integer = (steps::json ->> 'number')::integer, false) $$;

CREATE FUNCTION public.steps_from(steps text, first integer, type text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select json_build_object(
    'number', first, 'from', first, 'type', type, 'goesOn', false, 'next', '', 'attemptsBefore', 0, 'startedAt', null, 'until', null,
    'results', (select coalesce(json_agg(r.result order by r.n), '[]')
                from json_array_elements(steps::json -> 'results') with ordinality r (result, n)
                where (r.result ->> 'number')::integer < first))::text $$;

CREATE FUNCTION public.store_canonical_items() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
begin
  new.items := new.items::pg_catalog.jsonb;
  return new;
end $$;

CREATE FUNCTION public.store_idle_until() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_table_name = 'worker_words' then
    perform from public.work_locks where kind = 'idle_until' for update;
  else
    perform from public.work_locks where kind = 'idle_until' for update skip locked;
    if not found then return null; end if;
  end if;
  perform setval('public.idle_until', coalesce(
    (select ceil(extract(epoch from max(b.expires_at)))::bigint
     from public.workers w,
          lateral (select o.idle from public.worker_words o where o.worker = w.guid order by o.id desc limit 1) o,
          lateral (select b.expires_at from public.worker_beats b where b.worker = w.guid order by b.id desc limit 1) b
     where o.idle), 0));
  return null;
end $$;

CREATE TABLE public.integrations (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    provider text NOT NULL,
    store_url text NOT NULL,
    api_key bytea NOT NULL,
    api_secret bytea,
    auto_import boolean DEFAULT true NOT NULL,
    sync_products boolean DEFAULT false NOT NULL,
    push_tracking boolean DEFAULT false NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    connected_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    removed_at timestamp(3) with time zone,
    orders_reached timestamp with time zone,
    orders_moved_at timestamp with time zone,
    orders_swept_at timestamp with time zone,
    products_reached timestamp with time zone,
    products_moved_at timestamp with time zone,
    products_swept_at timestamp with time zone,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    requested_run uuid,
    lease_owner uuid,
    lease_until timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    service_mapping jsonb DEFAULT '[]'::jsonb NOT NULL,
    import_since timestamp(3) with time zone,
    first_connected_at timestamp(3) with time zone DEFAULT now(),
    sweeping_since timestamp with time zone,
    swept_at timestamp with time zone,
    products_failures integer DEFAULT 0 NOT NULL,
    products_due_at timestamp with time zone,
    CONSTRAINT integrations_lease_whole CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
    CONSTRAINT integrations_provider_check CHECK ((provider <> ''::text)),
    CONSTRAINT integrations_service_mapping_check CHECK ((jsonb_typeof(service_mapping) = 'array'::text)),
    CONSTRAINT integrations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
    CONSTRAINT integrations_store_url_check CHECK ((store_url <> ''::text))
);

CREATE FUNCTION public.store_name(i public.integrations) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ select regexp_replace(i.store_url, '^[a-z]+://', '') $$;

CREATE FUNCTION public.switch_push_tracking() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  changed integrations := case when tg_op = 'DELETE' then old else new end;
  wanted boolean := tg_op <> 'DELETE' and wants_tracking(new);
begin
  if wanted = (tg_op <> 'INSERT' and wants_tracking(old)) then return null; end if;
  -- Locks the workflow: of two integrations that change at the same time, the second sees the first.
  perform from workflows w
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking' for update;
  if exists (select from integrations i
             where i.business_id = changed.business_id and i.guid <> changed.guid and wants_tracking(i)) then
    return null;
  end if;
  update workflows w
  set is_active = wanted, active_since = case when wanted then now() else w.active_since end, updated_at = now()
  where w.business_id = changed.business_id and w.is_managed and w.action ->> 'type' = 'push_tracking'
    and w.is_active <> wanted;
  return null;
end $$;

CREATE FUNCTION public.tags_without(tags jsonb, words text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT jsonb_agg(e.tag ORDER BY e.n) AS jsonb_agg FROM jsonb_array_elements(tags_without.tags) WITH ORDINALITY e(tag, n) WHERE (NOT public.holds_word((e.tag #>> '{}'::text[]), tags_without.words)));

CREATE TABLE public.templates (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    entity_type smallint NOT NULL,
    type text NOT NULL,
    subject text,
    body text,
    html text,
    title text,
    url text,
    partials text[] DEFAULT '{}'::text[] NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    epoch bigint DEFAULT 0 NOT NULL,
    CONSTRAINT templates_code_is_one CHECK ((code ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'::text)),
    CONSTRAINT templates_entity_type_check CHECK (((entity_type >= 0) AND (entity_type <= 3))),
    CONSTRAINT templates_name_check CHECK ((name <> ''::text)),
    CONSTRAINT templates_type_check CHECK ((type = ANY (ARRAY['send_email'::text, 'send_push'::text, 'webhook'::text])))
);

CREATE FUNCTION public.template_definition(t public.templates) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  select jsonb_build_object('code', t.code, 'name', t.name, 'entityType', t.entity_type, 'type', t.type,
                            'subject', t.subject, 'body', t.body, 'html', t.html, 'title', t.title, 'url', t.url) $$;

CREATE FUNCTION public.template_in_use(business uuid, template text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  with recursive including (code) as (
    select template
    union
    select t.code
    from including i join templates t on t.business_id = business and t.deleted_at is null and i.code = any (t.partials)
  )
  select exists (select from workflows w
                 where w.business_id = business and w.deleted_at is null
                   and w.template_codes && array(select code from including))
$$;

CREATE FUNCTION public.template_texts(business uuid, codes text[]) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  with recursive wanted (code) as (
    select unnest(codes)
    union
    select unnest(t.partials)
    from wanted w join templates t on t.business_id = business and t.code = w.code and t.deleted_at is null
  )
  select coalesce(jsonb_object_agg(w.code, case when t.guid is not null then
                    jsonb_build_object('subject', t.subject, 'body', t.body, 'html', t.html, 'title', t.title, 'url', t.url)
                  end), '{}')
  from wanted w left join templates t on t.business_id = business and t.code = w.code and t.deleted_at is null
  where w.code is not null
$$;

CREATE FUNCTION public.ticks_between(minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[], either_day boolean, zone text, first timestamp with time zone, after_last timestamp with time zone) RETURNS SETOF timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
declare
  known text := zone;
  first_day date;
begin
  begin
    first_day := (first at time zone zone)::date - 1;
  exception when invalid_parameter_value then
    known := 'UTC';
    first_day := (first at time zone 'UTC')::date - 1;
  end;
  return query
    select distinct m.moment
    from (select d as day,
                 (d + interval '1 day') at time zone known - (d - interval '1 day') at time zone known = interval '48 hours'
                   as is_ordinary
          from generate_series(first_day::timestamp, (after_last at time zone known)::date + interval '1 day', interval '1 day') d
          where extract(month from d) = any (months)
            and case when either_day then extract(day from d) = any (days) or extract(dow from d) = any (weekdays)
                     else extract(day from d) = any (days) and extract(dow from d) = any (weekdays) end
          offset 0) n,
         unnest(hours) h (hour), unnest(minutes) t (minute),
         lateral (select n.day + make_interval(hours => h.hour, mins => t.minute) as clock) c,
         lateral (select case when n.is_ordinary then c.clock at time zone known
                              else first_moment_of(c.clock, known) end as moment offset 0) m
    where m.moment >= first and m.moment < after_last;
end $$;

CREATE FUNCTION public.timed_guid(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql
    AS $$
  select encode(set_byte(g.bytes, 6, (get_byte(g.bytes, 6) & 15) | 112), 'hex')::uuid
  from (select substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
               || substring(uuid_send(gen_random_uuid()) from 7) as bytes) g $$;

CREATE FUNCTION public.touch_business_workflows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update workflows set updated_at = updated_at where business_id = new.guid;
  return null;
end $$;

CREATE FUNCTION public.touch_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.updated_at := pg_catalog.now();
  return new;
end $$;

CREATE FUNCTION public.trace_inserted_shipments() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  insert into shipment_traces (business_id, shipment_id, at, status, description, is_move)
  select n.business_id, n.guid, n.created_at, n.status, status_text(n.status), false from new_rows n;
  return null;
end $$;

CREATE TABLE public.shipment_traces (
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    id bigint NOT NULL,
    status text NOT NULL,
    description text NOT NULL,
    location text,
    is_move boolean NOT NULL,
    external_id text,
    read_at timestamp(3) with time zone,
    tells_status boolean,
    CONSTRAINT shipment_traces_status_check CHECK ((status = ANY (ARRAY['created'::text, 'collected'::text, 'in_transit'::text, 'out_for_delivery'::text, 'delivered'::text, 'exception'::text, 'returned'::text, 'cancelled'::text]))),
    CONSTRAINT shipment_traces_times_in_range CHECK (((at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (at < '10000-01-01 00:00:00+00'::timestamp with time zone)))
);

CREATE FUNCTION public.trace_json(t public.shipment_traces) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  select pg_catalog.jsonb_build_object('status', t.status, 'description', t.description, 'location', t.location,
                                       'timestamp', public.iso(t.at), 'externalId', t.external_id) $$;

CREATE FUNCTION public.trace_updated_shipments() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  delete from shipment_labels where business_id = new.business_id and shipment_id = new.guid;
  return null;
end $$;

CREATE FUNCTION public.tracking_url(pattern text, number text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT
    AS $_$
  select replace(pattern, '{number}', case when number ~ '^[A-Za-z0-9._~-]*$' then number else (
    select string_agg(case when c ~ '^[A-Za-z0-9._~-]$' then c
                           else regexp_replace(upper(encode(convert_to(c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
                      '' order by n)
    from regexp_split_to_table(number, '') with ordinality s (c, n)) end) $_$;

CREATE FUNCTION public.unnumbered_form(stored text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select regexp_replace(stored, '^(\d+:)+', '') $$;

CREATE FUNCTION public.update_product_skus() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  old_skus text[] := case when tg_op <> 'INSERT' then array(select skus_of(old)) else '{}' end;
  new_skus text[] := case when tg_op <> 'DELETE' then array(select skus_of(new)) else '{}' end;
begin
  delete from product_skus
  where business_id = old.business_id and product_id = old.guid
    and sku in (select unnest(old_skus) except all select unnest(new_skus));
  insert into product_skus (business_id, sku, product_id)
  select new.business_id, added.sku, new.guid
  from (select unnest(new_skus) except all select unnest(old_skus)) added (sku) order by added.sku;
  return null;
end $$;

CREATE FUNCTION public.uses_answer(steps text, first integer, erased boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when steps !~ '"usedBy":' then false
    else exists (
      select from jsonb_array_elements(steps::jsonb -> 'results') a
      cross join jsonb_array_elements_text(case when a ? 'usedBy' then a -> 'usedBy' else '[]' end) u
      where (a ->> 'number')::integer < first and u::integer >= first
        and case when erased then a ? 'erased' else jsonb_typeof(a -> 'answer') = 'object' end
        and not in_way_not_taken(steps, u::integer, first)) end $$;

CREATE FUNCTION public.variant_count(p public.products) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select jsonb_array_length(p.variants) $$;

CREATE FUNCTION public.wall_hour(at timestamp with time zone, zone text) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select floor(extract(epoch from at at time zone zone) / 3600)::bigint $$;

CREATE FUNCTION public.wants_alert(d public.business_defaults, cause text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select is_mailed_to_administrators(cause) or chooses_alert(d, cause) $$;

CREATE FUNCTION public.wants_tracking(i public.integrations) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select i.status = 'active' and i.removed_at is null and i.push_tracking $$;

CREATE FUNCTION public.was_on(business uuid, workflow uuid, is_on boolean, active_since timestamp with time zone, moment timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $_$
  select case when $3 and ($4 <= $5 or $4 > statement_timestamp() + interval '1 second') then true
              else was_switched_on($1, $2, $3, $5) end $_$;

CREATE FUNCTION public.was_switched_on(business uuid, workflow uuid, is_on boolean, moment timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $_$
  select coalesce((select s.is_active from workflow_switches s
                   where s.business_id = $1 and s.workflow_id = $2 and s.at <= $4
                   order by s.at desc limit 1), false)
     and exists (select from (select s.is_active, s.at from workflow_switches s
                              where s.business_id = $1 and s.workflow_id = $2
                              order by s.at desc limit 1) newest
                 where newest.is_active = $3 and newest.at <= statement_timestamp() + interval '1 second') $_$;

CREATE FUNCTION public.watched_step(steps text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when (steps::json ->> 'awaits')::boolean then step_number(steps) else 0 end::smallint $$;

CREATE FUNCTION public.window_follows(time_window jsonb, zone_changed boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((time_window IS NOT NULL) AND ((time_window @> '{"workdays": true}'::jsonb) OR (zone_changed AND ((time_window ->> 'timezone'::text) IS NULL))));

CREATE FUNCTION public.with_members(list jsonb, members jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.without_person(contacts jsonb, emails text[], names text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (jsonb_typeof(contacts) <> 'array'::text) THEN contacts ELSE COALESCE((SELECT jsonb_agg(c.contact ORDER BY c.place) AS jsonb_agg FROM jsonb_array_elements(without_person.contacts) WITH ORDINALITY c(contact, place) WHERE (NOT CASE WHEN (COALESCE((c.contact ->> 'email'::text), ''::text) <> ''::text) THEN (lower((c.contact ->> 'email'::text)) = ANY (without_person.emails)) ELSE (COALESCE(lower((c.contact ->> 'name'::text)), ''::text) = ANY (without_person.names)) END)), '[]'::jsonb) END;

CREATE FUNCTION public.without_person(customer public.customers, emails text[], names text[]) RETURNS public.customers
    LANGUAGE sql STABLE
    AS $$
  select jsonb_populate_record(customer, jsonb_build_object('contacts', without_person(customer.contacts, emails, names)))
$$;

CREATE FUNCTION public.work_slot(name text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT
    AS $$
  select (hashtextextended(name, 0) & 1023)::integer $$;

CREATE FUNCTION public.worker_lives(worker uuid) RETURNS boolean
    LANGUAGE sql
    AS $$
  select coalesce((select session_lives(w.session_pid, w.session_start) from workers w
                   where w.guid = worker and w.session_pid is not null),
                  not pg_try_advisory_xact_lock(worker_lock(worker))) $$;

CREATE FUNCTION public.worker_lock(worker uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  select uuid_hash_extended(worker, 0) $$;

CREATE TABLE public.workflows (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    entity_type smallint NOT NULL,
    trigger_code text NOT NULL,
    action jsonb NOT NULL,
    conditions jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    is_managed boolean DEFAULT false NOT NULL,
    ordered boolean DEFAULT false NOT NULL,
    delay text,
    paused_reason text,
    paused_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    active_since timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    epoch bigint DEFAULT 0 NOT NULL,
    sealed_credentials bytea,
    template_codes text[] DEFAULT '{}'::text[] NOT NULL,
    judged_since timestamp with time zone DEFAULT now() NOT NULL,
    time_window jsonb,
    run_limit jsonb,
    request_rate jsonb,
    timer_plan integer,
    timer_since timestamp with time zone,
    workdays boolean DEFAULT false NOT NULL,
    cancel_on jsonb,
    CONSTRAINT workflows_entity_type_check CHECK (((entity_type >= 0) AND (entity_type <= 3))),
    CONSTRAINT workflows_name_check CHECK ((name <> ''::text)),
    CONSTRAINT workflows_pause_whole CHECK (((paused_reason IS NULL) = (paused_at IS NULL)))
);

CREATE FUNCTION public.workflow_definition(w public.workflows) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  select jsonb_build_object('name', w.name, 'entityType', w.entity_type, 'trigger', w.trigger_code, 'action', w.action,
                            'conditions', w.conditions, 'ordered', w.ordered,
                            'delay', case when not w.workdays then w.delay end,
                            'workdays', case when w.workdays then w.delay end) $$;

CREATE FUNCTION public.working_day_from(start timestamp with time zone, n integer, zone text, workdays jsonb, holidays jsonb) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$
declare
  known text := zone;
  clock timestamp;
  minute timestamp;
  day date;
  missing integer := abs(n);
  moment timestamptz;
begin
  begin
    clock := start at time zone zone;
  exception when invalid_parameter_value then
    known := 'UTC';
    clock := start at time zone 'UTC';
  end;
  for distance in 1..60 loop
    day := clock::date + distance * sign(n)::integer;
    if is_working_day(day, workdays, holidays) then missing := missing - 1; end if;
    exit when missing = 0;
  end loop;
  if missing > 0 then return null; end if;
  -- Zones skip and repeat whole minutes.
  minute := day + date_trunc('minute', clock)::time;
  moment := first_moment_of(minute, known);
  if moment at time zone known = minute then moment := moment + (clock - date_trunc('minute', clock)); end if;
  return greatest('0001-01-01 00:00:00+00'::timestamptz, least('9999-12-31 23:59:59.999999+00'::timestamptz, moment));
end $$;

CREATE FUNCTION public.written_code(before text, value text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (value = before) THEN value ELSE NULLIF(btrim(regexp_replace(regexp_replace(value, '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]'::text, ''::text, 'g'::text), '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+'::text, ' '::text, 'g'::text), ' '::text), ''::text) END;

CREATE FUNCTION public.written_number(before text, value text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (value = before) THEN value ELSE NULLIF(regexp_replace(value, '[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]'::text, ''::text, 'g'::text), ''::text) END;

CREATE FUNCTION public.written_email(before text, value text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN ((value = before) OR (public.written_number(NULL::text, value) IS NOT NULL)) THEN value ELSE NULL::text END;

CREATE FUNCTION public.written_tags(before jsonb, tags jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN ((jsonb_typeof(tags) <> 'array'::text) OR (tags = before)) THEN tags WHEN (tags = '[]'::jsonb) THEN NULL::jsonb ELSE (SELECT jsonb_agg(CASE jsonb_typeof(t.tag) WHEN 'string'::text THEN to_jsonb(regexp_replace(regexp_replace((t.tag #>> '{}'::text[]), '^[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+'::text, ''::text), '[\u0001-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+$'::text, ''::text)) ELSE t.tag END ORDER BY t.place) AS jsonb_agg FROM jsonb_array_elements(written_tags.tags) WITH ORDINALITY t(tag, place)) END;

CREATE FUNCTION public.zone_offsets(zone text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
declare
  step constant interval := '15 minutes';  -- zones change their offset at such times
  at timestamptz := date_trunc('day', now()) - interval '1 year';
  seconds integer;
  next_seconds integer;
  offsets text;
begin
  seconds := extract(epoch from (at at time zone zone) - (at at time zone 'UTC'));
  offsets := extract(epoch from at)::bigint || ' ' || seconds;
  while at < now() + interval '4 years' loop
    next_seconds := extract(epoch from ((at + interval '1 day') at time zone zone) - ((at + interval '1 day') at time zone 'UTC'));
    if next_seconds <> seconds then
      select offsets || ',' || extract(epoch from min(t))::bigint || ' ' || next_seconds into offsets
      from generate_series(at, at + interval '1 day', step) t
      where extract(epoch from (t at time zone zone) - (t at time zone 'UTC')) = next_seconds;
      seconds := next_seconds;
    end if;
    at := at + interval '1 day';
  end loop;
  return offsets;
exception when invalid_parameter_value then
  return null;
end $$;

CREATE TABLE public.account_requests (
    key bytea NOT NULL,
    times timestamp with time zone[] NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.alert_messages (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    channel text NOT NULL,
    cause text NOT NULL,
    subject_id uuid NOT NULL,
    count bigint NOT NULL,
    run_id uuid,
    failed_from timestamp with time zone,
    failed_to timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT alert_messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'webhook'::text])))
);

CREATE TABLE public.alerts (
    business_id uuid NOT NULL,
    cause text NOT NULL,
    subject_id uuid NOT NULL,
    count bigint NOT NULL,
    run_id uuid,
    failed_from timestamp with time zone,
    failed_to timestamp with time zone,
    told_at timestamp with time zone,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT alerts_cause_check CHECK ((cause = ANY (ARRAY['run_dead'::text, 'workflow_paused'::text, 'import_failed'::text, 'destination_down'::text, 'workflow_silent'::text, 'import_silent'::text, 'scans_silent'::text, 'label_unknown'::text, 'label_failed'::text, 'label_doubled'::text, 'label_dearer'::text, 'label_of_cancelled_order'::text])))
)
WITH (fillfactor='50');

CREATE TABLE public.run_queue (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    workflow_id uuid NOT NULL,
    workflow_version integer NOT NULL,
    event_id bigint NOT NULL,
    entity_type smallint NOT NULL,
    entity_id uuid NOT NULL,
    trigger_code text NOT NULL,
    action text NOT NULL,
    status text NOT NULL,
    code text,
    error text,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_owner uuid,
    origin uuid NOT NULL,
    replay_of uuid,
    destination text DEFAULT ''::text NOT NULL,
    ordered boolean DEFAULT false NOT NULL,
    request text NOT NULL,
    body text,
    tries text DEFAULT '[]'::text NOT NULL,
    depth integer,
    steps text,
    postponed_until timestamp with time zone,
    ordered_from bigint,
    changing_action text,
    watch_after bigint,
    watched_step smallint DEFAULT 0 NOT NULL,
    awaited_event bigint,
    awaited_purchase uuid,
    claims integer DEFAULT 0 NOT NULL,
    erased boolean,
    CONSTRAINT run_queue_check CHECK (((lease_owner IS NULL) OR (status = 'running'::text))),
    CONSTRAINT run_queue_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'queued'::text, 'running'::text, 'retrying'::text, 'held'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.runs (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    workflow_id uuid NOT NULL,
    workflow_version integer NOT NULL,
    event_id bigint NOT NULL,
    entity_type smallint NOT NULL,
    entity_id uuid NOT NULL,
    trigger_code text NOT NULL,
    action text NOT NULL,
    status text NOT NULL,
    code text,
    error text,
    attempts integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    origin uuid NOT NULL,
    replay_of uuid,
    destination text NOT NULL,
    request text NOT NULL,
    body text,
    tries text NOT NULL,
    steps text,
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dead'::text, 'skipped'::text])))
)
PARTITION BY RANGE (created_at);

CREATE VIEW public.all_runs AS
 SELECT runs.business_id,
    runs.guid,
    runs.workflow_id,
    runs.workflow_version,
    runs.event_id,
    runs.entity_type,
    runs.entity_id,
    runs.trigger_code,
    runs.action,
    runs.status,
    runs.code,
    runs.error,
    runs.attempts,
    runs.created_at,
    NULL::timestamp with time zone AS next_attempt_at,
    runs.finished_at,
    runs.origin,
    runs.replay_of,
    runs.destination,
    runs.request,
    runs.body,
    runs.tries,
    runs.steps
   FROM public.runs
UNION ALL
 SELECT run_queue.business_id,
    run_queue.guid,
    run_queue.workflow_id,
    run_queue.workflow_version,
    run_queue.event_id,
    run_queue.entity_type,
    run_queue.entity_id,
    run_queue.trigger_code,
    run_queue.action,
    run_queue.status,
    run_queue.code,
    run_queue.error,
    run_queue.attempts,
    run_queue.created_at,
        CASE
            WHEN (run_queue.status = ANY (ARRAY['waiting'::text, 'queued'::text, 'retrying'::text])) THEN run_queue.due_at
            ELSE NULL::timestamp with time zone
        END AS next_attempt_at,
    NULL::timestamp with time zone AS finished_at,
    run_queue.origin,
    run_queue.replay_of,
    run_queue.destination,
    run_queue.request,
    run_queue.body,
    run_queue.tries,
    run_queue.steps
   FROM public.run_queue;

CREATE TABLE public.api_tokens (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    role text DEFAULT 'admin'::text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_tokens_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text, 'owner'::text]))),
    CONSTRAINT api_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.audit_log (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid,
    actor_name text,
    action text NOT NULL,
    entity_type text NOT NULL,
    entity_id uuid NOT NULL,
    entity_name text,
    changes jsonb NOT NULL,
    request_id text,
    address text,
    CONSTRAINT audit_log_action_check CHECK ((action = ANY (ARRAY['created'::text, 'updated'::text, 'deleted'::text, 'erased'::text, 'exported'::text, 'read'::text])))
);

CREATE TABLE public.business_mails (
    business_id uuid NOT NULL,
    day date NOT NULL,
    recipients integer NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.businesses (
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    email text,
    phone text,
    street text,
    city text,
    state text,
    postal_code text,
    country text,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    plan text DEFAULT 'standard'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    registered_by_itself boolean,
    logo_url text,
    brand_color text,
    sender_name text,
    reply_to text,
    epoch bigint DEFAULT 0 NOT NULL,
    suspended_at timestamp with time zone,
    deleting_at timestamp with time zone,
    renamed_itself boolean,
    workdays jsonb DEFAULT '["mon", "tue", "wed", "thu", "fri"]'::jsonb NOT NULL,
    holidays jsonb DEFAULT '[]'::jsonb NOT NULL,
    calendar_changed_at timestamp with time zone,
    resumed_at timestamp with time zone,
    CONSTRAINT businesses_brand_color_check CHECK ((brand_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT businesses_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT businesses_deleted_while_suspended CHECK (((deleting_at IS NULL) OR (suspended_at IS NOT NULL))),
    CONSTRAINT businesses_have_workdays CHECK (((jsonb_typeof(workdays) = 'array'::text) AND (workdays <> '[]'::jsonb))),
    CONSTRAINT businesses_list_holidays CHECK ((jsonb_typeof(holidays) = 'array'::text)),
    CONSTRAINT businesses_logo_url_check CHECK ((logo_url ~~ 'https://%'::text)),
    CONSTRAINT businesses_name_check CHECK ((name <> ''::text))
);

CREATE TABLE public.carrier_configurations (
    business_id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    account_number text NOT NULL,
    default_service_level text,
    test_mode boolean NOT NULL,
    sealed_api_key bytea,
    sealed_api_secret bytea,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sealed_inbound_secret bytea,
    connector text DEFAULT 'manual'::text NOT NULL,
    api_url text,
    service_codes jsonb,
    label_format text,
    tracking_sync boolean DEFAULT true NOT NULL,
    connection_status text,
    connection_error text,
    checked_at timestamp with time zone,
    tracking_failures integer DEFAULT 0 NOT NULL,
    tracking_paused_until timestamp with time zone,
    CONSTRAINT carrier_configurations_account_number_check CHECK ((account_number <> ''::text))
);

CREATE TABLE public.carrier_contacts (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    carrier_id uuid NOT NULL,
    name text NOT NULL,
    email text,
    phone text,
    role text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT carrier_contacts_name_check CHECK ((name <> ''::text))
);

CREATE TABLE public.carrier_deliveries (
    business_id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    delivery_id text NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.carriers (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    type text NOT NULL,
    service_levels jsonb DEFAULT '[]'::jsonb NOT NULL,
    features jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    tracking_url_pattern text,
    CONSTRAINT carriers_code_check CHECK ((code <> ''::text)),
    CONSTRAINT carriers_features_check CHECK ((jsonb_typeof(features) = 'array'::text)),
    CONSTRAINT carriers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT carriers_service_levels_check CHECK ((jsonb_typeof(service_levels) = 'array'::text)),
    CONSTRAINT carriers_times_in_range CHECK (((created_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (created_at < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT carriers_tracking_url_pattern_check CHECK ((tracking_url_pattern ~~ 'https://%{number}%'::text)),
    CONSTRAINT carriers_type_check CHECK ((type = ANY (ARRAY['courier'::text, 'freight'::text, 'lastmile'::text])))
);

CREATE TABLE public.changed_zones (
    business_id uuid NOT NULL
);

CREATE TABLE public.console_sessions (
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    business_id uuid NOT NULL,
    role text NOT NULL,
    operator_name text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text, 'owner'::text]))),
    CONSTRAINT console_sessions_secret_hash_check CHECK ((length(secret_hash) = 32))
);

CREATE TABLE public.customer_erasures (
    business_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    names text[] NOT NULL,
    emails text[] NOT NULL,
    words text[] NOT NULL,
    record_words text[] NOT NULL,
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    contact_of uuid[] DEFAULT '{}'::uuid[] NOT NULL
);

CREATE TABLE public.customer_upload_parts (
    business_id uuid NOT NULL,
    upload_id uuid NOT NULL,
    part integer NOT NULL,
    lines integer[] NOT NULL,
    names text[] NOT NULL,
    emails text[] NOT NULL,
    phones text[] NOT NULL,
    companies text[] NOT NULL,
    streets text[] NOT NULL,
    cities text[] NOT NULL,
    states text[] NOT NULL,
    postal_codes text[] NOT NULL,
    countries text[] NOT NULL,
    external_references text[],
    tags jsonb[]
);

CREATE TABLE public.customer_uploads (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    confirmed_at timestamp with time zone
);

CREATE TABLE public.destination_reports (
    business_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    worker uuid NOT NULL,
    places integer NOT NULL,
    next_probe_at timestamp with time zone,
    counted_from timestamp with time zone NOT NULL,
    succeeded integer[] NOT NULL,
    failed integer[] NOT NULL,
    durations integer[] NOT NULL,
    workflows uuid[] NOT NULL,
    published_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT destination_reports_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'push'::text, 'mail'::text, 'store'::text, 'carrier'::text, 'others'::text])))
)
WITH (fillfactor='50');

CREATE TABLE public.digest_closings (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    until timestamp with time zone DEFAULT (clock_timestamp() + '00:01:00'::interval) NOT NULL
);

CREATE TABLE public.digest_events (
    business_id uuid NOT NULL,
    event_id bigint NOT NULL,
    event_at timestamp with time zone NOT NULL,
    workflow_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    digest_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    is_dropped boolean DEFAULT false NOT NULL
)
PARTITION BY RANGE (at);

CREATE TABLE public.digest_items (
    business_id uuid NOT NULL,
    digest_id uuid NOT NULL,
    "position" integer NOT NULL,
    entity_id uuid NOT NULL,
    event_at timestamp with time zone NOT NULL,
    item text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.digests (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    value_key uuid NOT NULL,
    value text NOT NULL,
    shard smallint NOT NULL,
    began_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    check_at timestamp with time zone NOT NULL,
    count integer NOT NULL,
    bytes bigint NOT NULL,
    is_full boolean NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.dimension_presets (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    length numeric NOT NULL,
    width numeric NOT NULL,
    height numeric NOT NULL,
    weight numeric,
    unit text NOT NULL,
    weight_unit text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dimension_presets_height_check CHECK ((height >= (0)::numeric)),
    CONSTRAINT dimension_presets_length_check CHECK ((length >= (0)::numeric)),
    CONSTRAINT dimension_presets_name_check CHECK ((name <> ''::text)),
    CONSTRAINT dimension_presets_numbers_in_range CHECK ((GREATEST(length, width, height, weight) < '1000000000000'::numeric)),
    CONSTRAINT dimension_presets_unit_check CHECK ((unit = ANY (ARRAY['cm'::text, 'in'::text, 'm'::text]))),
    CONSTRAINT dimension_presets_weight_check CHECK ((weight >= (0)::numeric)),
    CONSTRAINT dimension_presets_weight_unit_check CHECK ((weight_unit = ANY (ARRAY['kg'::text, 'g'::text, 'lb'::text, 'oz'::text]))),
    CONSTRAINT dimension_presets_width_check CHECK ((width >= (0)::numeric))
);

CREATE TABLE public.dispatch_stops (
    business_id uuid NOT NULL,
    dispatch_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    sequence integer NOT NULL,
    latitude double precision,
    longitude double precision,
    arrives_after interval,
    ended_as text,
    planned_for bigint
);

CREATE TABLE public.dispatches (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    driver_id uuid,
    vehicle_id uuid,
    planned_date timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    notes text,
    route_id uuid DEFAULT gen_random_uuid() NOT NULL,
    distance_km numeric DEFAULT 0 NOT NULL,
    duration interval DEFAULT '00:00:00'::interval NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    start_unlocated boolean DEFAULT false NOT NULL,
    planned_from bigint,
    planned_stops integer,
    CONSTRAINT dispatches_name_check CHECK ((name <> ''::text)),
    CONSTRAINT dispatches_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'ready'::text, 'in_progress'::text, 'completed'::text, 'cancelled'::text]))),
    CONSTRAINT dispatches_times_in_range CHECK (((LEAST(planned_date, started_at, ended_at) >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(planned_date, started_at, ended_at) < '10000-01-01 00:00:00+00'::timestamp with time zone)))
);

CREATE TABLE public.drivers (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    email text,
    phone text,
    license_number text,
    status text DEFAULT 'available'::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    CONSTRAINT drivers_name_check CHECK ((name <> ''::text)),
    CONSTRAINT drivers_status_check CHECK ((status = ANY (ARRAY['available'::text, 'on_duty'::text, 'off_duty'::text, 'inactive'::text])))
);

CREATE TABLE public.duty_turns (
    duty text NOT NULL,
    session_pid integer,
    session_start timestamp with time zone,
    taken_at timestamp with time zone,
    ended_at timestamp with time zone
)
WITH (fillfactor='50');

CREATE SEQUENCE public.eventless_ids
    START WITH -9223372036854775808
    INCREMENT BY 1
    MINVALUE -9223372036854775808
    MAXVALUE -1
    CACHE 1;

CREATE TABLE public.feed_key (
    only_row boolean DEFAULT true NOT NULL,
    sealed bytea,
    used_from timestamp with time zone NOT NULL,
    CONSTRAINT feed_key_only_row_check CHECK (only_row)
);

CREATE TABLE public.idempotency_keys (
    business_id uuid NOT NULL,
    token_id uuid NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    status integer,
    body text,
    location text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_finished_whole CHECK (((status IS NULL) = (body IS NULL)))
);

CREATE SEQUENCE public.idle_until
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.import_failures (
    business_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    external_id text NOT NULL,
    order_number text,
    reason text NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    run_id uuid NOT NULL
);

CREATE TABLE public.imported_orders (
    business_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    external_id text NOT NULL,
    order_id uuid NOT NULL,
    digest text NOT NULL,
    status text NOT NULL
);

CREATE TABLE public.imported_products (
    business_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    external_id text NOT NULL,
    product_id uuid NOT NULL,
    digest text NOT NULL,
    aside_sku text,
    variants jsonb,
    wanted_skus jsonb,
    asked_at timestamp with time zone
);

CREATE TABLE public.inbound_deliveries (
    business_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    delivery_id text NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.integration_runs (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    integration_id uuid NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone,
    imported integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    errors jsonb DEFAULT '[]'::jsonb NOT NULL,
    requested boolean DEFAULT false NOT NULL
);

CREATE TABLE public.job_contents (
    business_id uuid NOT NULL,
    job_id uuid NOT NULL,
    name text NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.job_contents ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE public.jobs (
    business_id uuid NOT NULL,
    guid uuid NOT NULL,
    kind text NOT NULL,
    operation text NOT NULL,
    role text NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    stop text,
    place text,
    done bigint DEFAULT 0 NOT NULL,
    total bigint,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone,
    result jsonb,
    error jsonb,
    file_bytes bigint,
    file_until timestamp(3) with time zone,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    lease_owner uuid,
    lease_until timestamp with time zone,
    CONSTRAINT jobs_check CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
    CONSTRAINT jobs_check1 CHECK (((status = 'running'::text) = (finished_at IS NULL))),
    CONSTRAINT jobs_check2 CHECK (((status = 'running'::text) = (due_at IS NOT NULL))),
    CONSTRAINT jobs_kind_check CHECK ((kind = ANY (ARRAY['import'::text, 'upload'::text, 'replay'::text, 'cancel'::text, 'erasure'::text, 'export'::text, 'backtest'::text]))),
    CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT jobs_stop_check CHECK ((stop = ANY (ARRAY['CANCELLED'::text, 'ERASED'::text])))
)
WITH (fillfactor='70');

CREATE TABLE public.key_check (
    only_row boolean DEFAULT true NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT key_check_only_row_check CHECK (only_row)
);

CREATE TABLE public.ledger_findings (
    business_id uuid NOT NULL,
    first_time timestamp with time zone NOT NULL,
    end_time timestamp with time zone NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.limited_runs (
    business_id uuid NOT NULL,
    run uuid NOT NULL,
    workflow_id uuid NOT NULL,
    value bytea NOT NULL,
    begun_at timestamp with time zone,
    expires_at timestamp with time zone DEFAULT now() NOT NULL,
    number bigint
);

CREATE TABLE public.login_failures (
    key bytea NOT NULL,
    times timestamp with time zone[] NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.mail_addresses (
    business_id uuid NOT NULL,
    address uuid NOT NULL,
    run uuid NOT NULL,
    step integer NOT NULL,
    at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (at);

CREATE TABLE public.mail_outbox (
    guid uuid NOT NULL,
    sealed bytea NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    business_id uuid
);

CREATE TABLE public.matched_events (
    business_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    orders bigint NOT NULL,
    shipments bigint NOT NULL,
    customers bigint NOT NULL,
    products bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.order_numbers (
    business_id uuid NOT NULL,
    last_number bigint NOT NULL
);

CREATE TABLE public.own_data_changes (
    business_id uuid NOT NULL,
    entity_type smallint NOT NULL,
    added text[] NOT NULL,
    removed text[] NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.own_data_changes REPLICA IDENTITY FULL;

CREATE TABLE public.own_data_totals (
    business_id uuid NOT NULL,
    entity_type smallint NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    total bigint,
    newest_at timestamp with time zone
);

CREATE TABLE public.password_resets (
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT password_resets_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.pending_events (
    shard smallint NOT NULL,
    id bigint NOT NULL,
    business_id uuid NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.positions (
    business_id uuid NOT NULL,
    device_guid uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    speed real,
    heading real,
    CONSTRAINT positions_at_check CHECK (((at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (at < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT positions_latitude_check CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT positions_longitude_check CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision)))
)
PARTITION BY RANGE (at);

CREATE TABLE public.postponed_matches (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    event_id bigint NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE public.processes (
    guid uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    connections integer NOT NULL,
    key_ids bigint[] NOT NULL,
    sealing_key bigint NOT NULL,
    sealing_since timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    session_pid integer,
    session_start timestamp with time zone,
    version text,
    CONSTRAINT processes_role_check CHECK ((role = ANY (ARRAY['up'::text, 'api'::text, 'worker'::text])))
);

CREATE TABLE public.product_settings (
    business_id uuid NOT NULL,
    auto_generate_sku boolean DEFAULT false NOT NULL,
    default_unit text DEFAULT 'cm'::text NOT NULL,
    default_weight_unit text DEFAULT 'kg'::text NOT NULL,
    CONSTRAINT product_settings_default_unit_check CHECK ((default_unit = ANY (ARRAY['cm'::text, 'in'::text, 'm'::text]))),
    CONSTRAINT product_settings_default_weight_unit_check CHECK ((default_weight_unit = ANY (ARRAY['kg'::text, 'g'::text, 'lb'::text, 'oz'::text])))
);

CREATE TABLE public.product_skus (
    business_id uuid NOT NULL,
    sku text NOT NULL,
    product_id uuid NOT NULL
);

CREATE TABLE public.purchase_labels (
    business_id uuid NOT NULL,
    purchase_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    format text NOT NULL,
    bytes bytea NOT NULL,
    stored_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT purchase_labels_bytes_check CHECK ((octet_length(bytes) <= 10485760)),
    CONSTRAINT purchase_labels_format_check CHECK ((format = ANY (ARRAY['pdf'::text, 'zpl'::text, 'png'::text])))
);
ALTER TABLE ONLY public.purchase_labels ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE public.pushed_tracking (
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    tracking_number text NOT NULL,
    tracking_url text NOT NULL
);

CREATE UNLOGGED TABLE public.quota_windows (
    token_id uuid NOT NULL,
    window_start bigint NOT NULL,
    used bigint NOT NULL,
    granted bigint NOT NULL,
    holder uuid NOT NULL,
    is_shared boolean NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.record_counts (
    business_id uuid NOT NULL,
    entity_type smallint NOT NULL,
    delta bigint NOT NULL
);

ALTER TABLE ONLY public.record_counts REPLICA IDENTITY FULL;

CREATE TABLE public.request_rates (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    destination text NOT NULL,
    per_second double precision NOT NULL,
    granted integer NOT NULL,
    full_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.run_counts (
    business_id uuid NOT NULL,
    unit text NOT NULL,
    start timestamp with time zone NOT NULL,
    workflow_id uuid NOT NULL,
    status text NOT NULL,
    runs bigint NOT NULL,
    latencies jsonb,
    newest_at timestamp with time zone,
    CONSTRAINT run_counts_unit_check CHECK ((unit = ANY (ARRAY['day'::text, 'hour'::text])))
);

ALTER TABLE ONLY public.run_counts REPLICA IDENTITY FULL;

CREATE TABLE public.run_step_texts (
    business_id uuid NOT NULL,
    origin uuid NOT NULL,
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    request text NOT NULL,
    body text
)
PARTITION BY RANGE (at);

CREATE TABLE public.run_sums (
    business_id uuid NOT NULL,
    start timestamp with time zone NOT NULL,
    succeeded bigint NOT NULL,
    latencies jsonb NOT NULL
)
WITH (fillfactor='80');

CREATE TABLE public.schedules (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    plan integer NOT NULL,
    next_at timestamp with time zone,
    check_at timestamp with time zone DEFAULT now() NOT NULL,
    timeouts integer DEFAULT 0 NOT NULL,
    last_at timestamp with time zone
);

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schema_migrations_checksum_check CHECK ((checksum ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE public.secret_keys (
    id bigint NOT NULL,
    first_used_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.shards (
    shard smallint NOT NULL,
    owner uuid,
    epoch bigint DEFAULT 0 NOT NULL,
    orphaned boolean DEFAULT false NOT NULL
);

CREATE TABLE public.shipment_labels (
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    pdf bytea NOT NULL,
    CONSTRAINT shipment_labels_content_hash_check CHECK ((length(content_hash) = 32))
);
ALTER TABLE ONLY public.shipment_labels ALTER COLUMN pdf SET STORAGE EXTERNAL;

ALTER TABLE public.shipment_traces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.shipment_traces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sku_numbers (
    business_id uuid NOT NULL,
    last_number bigint NOT NULL
);

CREATE TABLE public.source_counts (
    business_id uuid NOT NULL,
    kind text NOT NULL,
    source_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT source_counts_count_check CHECK ((count > 0)),
    CONSTRAINT source_counts_kind_check CHECK ((kind = ANY (ARRAY['import'::text, 'scans'::text])))
)
WITH (fillfactor='70');

CREATE TABLE public.source_watches (
    business_id uuid NOT NULL,
    kind text NOT NULL,
    source_id uuid NOT NULL,
    learned_since timestamp with time zone NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    expected_from bigint,
    expected_to bigint,
    silent_since timestamp with time zone,
    silence jsonb,
    usual_since timestamp with time zone,
    CONSTRAINT source_watches_kind_check CHECK ((kind = ANY (ARRAY['import'::text, 'scans'::text])))
)
WITH (fillfactor='70');

CREATE TABLE public.status_counts (
    business_id uuid NOT NULL,
    entity_type smallint NOT NULL,
    status_before text,
    status_after text,
    records bigint NOT NULL
);

ALTER TABLE ONLY public.status_counts REPLICA IDENTITY FULL;

CREATE TABLE public.suspended_events (
    business_id uuid NOT NULL,
    event_id bigint NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE public.template_versions (
    business_id uuid NOT NULL,
    template_id uuid NOT NULL,
    version integer NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.timelines (
    cluster bigint NOT NULL,
    timeline bigint NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT timelines_timeline_check CHECK ((timeline > 0))
);

CREATE TABLE public.timer_results (
    business_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    value timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    plan integer NOT NULL,
    run_id uuid,
    reason text,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT timer_results_reason_check CHECK ((reason = ANY (ARRAY['condition'::text, 'switched_off'::text]))),
    CONSTRAINT timer_results_whole CHECK (((run_id IS NULL) = (reason IS NOT NULL)))
);

CREATE TABLE public.timer_scans (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    plan integer NOT NULL,
    "position" uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    since timestamp with time zone
);

CREATE TABLE public.timers (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    shard smallint NOT NULL,
    plan integer NOT NULL,
    value timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    check_at timestamp with time zone NOT NULL,
    event_id bigint NOT NULL,
    depth smallint DEFAULT 0 NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.tracking_devices (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    device_id text NOT NULL,
    type text NOT NULL,
    vehicle_id uuid,
    status text DEFAULT 'active'::text NOT NULL,
    last_seen timestamp(3) with time zone,
    battery_level numeric,
    fault text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    battery_at timestamp(3) with time zone,
    CONSTRAINT tracking_devices_battery_level_check CHECK (((battery_level >= (0)::numeric) AND (battery_level <= (100)::numeric))),
    CONSTRAINT tracking_devices_device_id_check CHECK ((device_id ~ '^[A-Za-z0-9:_-]{3,64}$'::text)),
    CONSTRAINT tracking_devices_status_check CHECK ((status = ANY (ARRAY['active'::text, 'offline'::text, 'low_battery'::text, 'error'::text]))),
    CONSTRAINT tracking_devices_type_check CHECK ((type <> ''::text))
)
WITH (fillfactor='70');

CREATE TABLE public.tracking_lanes (
    business_id uuid NOT NULL,
    connector text NOT NULL,
    look_at timestamp with time zone DEFAULT now() NOT NULL,
    is_hinted boolean DEFAULT false NOT NULL,
    swept_at timestamp with time zone,
    lease_owner uuid,
    lease_until timestamp with time zone,
    CONSTRAINT tracking_lanes_check CHECK (((lease_owner IS NULL) = (lease_until IS NULL)))
)
WITH (fillfactor='50');

CREATE TABLE public.tracking_pulls (
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    number text NOT NULL,
    carrier_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    asked_at timestamp with time zone,
    hinted_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');

CREATE TABLE public.tracking_pushes (
    business_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    external_id text NOT NULL,
    worker uuid NOT NULL,
    held_until timestamp with time zone NOT NULL
);

CREATE TABLE public.tracking_returns (
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    number text NOT NULL,
    since timestamp with time zone NOT NULL
);

CREATE TABLE public.tracking_tokens (
    token uuid NOT NULL,
    business_id uuid NOT NULL,
    shipment_id uuid NOT NULL
);

CREATE TABLE public.user_preferences (
    business_id uuid NOT NULL,
    user_id uuid NOT NULL,
    views jsonb DEFAULT '[]'::jsonb NOT NULL,
    language text,
    timezone text,
    theme text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_preferences_theme_check CHECK ((theme = ANY (ARRAY['light'::text, 'dark'::text, 'system'::text]))),
    CONSTRAINT user_preferences_views_check CHECK ((jsonb_typeof(views) = 'array'::text))
);

CREATE TABLE public.user_sessions (
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    by_cookie boolean DEFAULT false NOT NULL,
    CONSTRAINT user_sessions_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.users (
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    password_hash text,
    first_name text,
    last_name text,
    business_id uuid,
    role text,
    verified_at timestamp with time zone,
    mail_token_hash bytea,
    mail_token_expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    invited_as uuid,
    CONSTRAINT users_invited_somewhere CHECK (((password_hash IS NOT NULL) OR (business_id IS NOT NULL))),
    CONSTRAINT users_mail_token_hash_check CHECK ((length(mail_token_hash) = 32)),
    CONSTRAINT users_mail_token_whole CHECK (((mail_token_hash IS NULL) = (mail_token_expires_at IS NULL))),
    CONSTRAINT users_membership_whole CHECK (((business_id IS NULL) = (role IS NULL))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text, 'owner'::text])))
);

CREATE TABLE public.vapid_keys (
    business_id uuid NOT NULL,
    public_key text NOT NULL,
    private_key_sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.vehicles (
    business_id uuid NOT NULL,
    guid uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    license_plate text NOT NULL,
    type text NOT NULL,
    make text,
    model text,
    year integer,
    capacity_weight numeric,
    capacity_volume numeric,
    status text DEFAULT 'available'::text NOT NULL,
    current_driver_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    CONSTRAINT vehicles_capacity_volume_check CHECK (((capacity_volume >= (0)::numeric) AND (capacity_volume < '1000000000000'::numeric))),
    CONSTRAINT vehicles_capacity_weight_check CHECK (((capacity_weight >= (0)::numeric) AND (capacity_weight < '1000000000000'::numeric))),
    CONSTRAINT vehicles_license_plate_check CHECK ((license_plate <> ''::text)),
    CONSTRAINT vehicles_name_check CHECK ((name <> ''::text)),
    CONSTRAINT vehicles_status_check CHECK ((status = ANY (ARRAY['available'::text, 'in_use'::text, 'maintenance'::text, 'inactive'::text]))),
    CONSTRAINT vehicles_type_check CHECK ((type = ANY (ARRAY['van'::text, 'car'::text, 'truck'::text, 'motorcycle'::text, 'bicycle'::text, 'other'::text])))
);

CREATE TABLE public.work_locks (
    kind text NOT NULL,
    slot integer NOT NULL,
    CONSTRAINT work_locks_kind_check CHECK ((kind = ANY (ARRAY['partitions'::text, 'idle_until'::text, 'limits'::text, 'rates'::text, 'business_names'::text, 'customer_uploads'::text])))
);

CREATE TABLE public.worker_beats (
    worker uuid NOT NULL,
    id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    matched_at timestamp with time zone NOT NULL
);

ALTER TABLE public.worker_beats ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.worker_beats_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.worker_words (
    worker uuid NOT NULL,
    id bigint NOT NULL,
    idle boolean NOT NULL
);

ALTER TABLE public.worker_words ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.worker_words_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.workers (
    guid uuid NOT NULL,
    name text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    renders_deferred boolean,
    session_pid integer,
    session_start timestamp with time zone
);

CREATE TABLE public.workflow_epoch (
    only_row boolean DEFAULT true NOT NULL,
    epoch bigint NOT NULL,
    CONSTRAINT workflow_epoch_only_row_check CHECK (only_row)
);

CREATE TABLE public.workflow_firings (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    count bigint NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    last_at timestamp with time zone,
    CONSTRAINT workflow_firings_count_check CHECK (((count >= 0) AND (held >= 0) AND ((count + held) > 0)))
)
WITH (fillfactor='70');

CREATE TABLE public.workflow_health (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    succeeded_at timestamp with time zone,
    expected_weekly bigint
);

CREATE TABLE public.workflow_secrets (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    sealed bytea NOT NULL
);

CREATE TABLE public.workflow_switches (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    is_active boolean NOT NULL
);

CREATE TABLE public.workflow_versions (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    author jsonb DEFAULT (public.event_cause() -> 'by'::text),
    sealed_credentials bytea
);

CREATE TABLE public.workflow_watches (
    business_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    learned_since timestamp with time zone NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    expected_from bigint,
    expected_to bigint,
    silent_since timestamp with time zone,
    silence jsonb,
    usual_since timestamp with time zone
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.account_requests
    ADD CONSTRAINT account_requests_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.alert_messages
    ADD CONSTRAINT alert_messages_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (business_id, cause, subject_id);

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.business_defaults
    ADD CONSTRAINT business_defaults_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.business_mails
    ADD CONSTRAINT business_mails_pkey PRIMARY KEY (business_id, day);

ALTER TABLE ONLY public.businesses
    ADD CONSTRAINT businesses_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.carrier_configurations
    ADD CONSTRAINT carrier_configurations_pkey PRIMARY KEY (business_id, carrier_id);

ALTER TABLE ONLY public.carrier_contacts
    ADD CONSTRAINT carrier_contacts_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.carrier_deliveries
    ADD CONSTRAINT carrier_deliveries_pkey PRIMARY KEY (business_id, carrier_id, delivery_id);

ALTER TABLE ONLY public.carriers
    ADD CONSTRAINT carriers_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.changed_zones
    ADD CONSTRAINT changed_zones_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.customer_erasures
    ADD CONSTRAINT customer_erasures_pkey PRIMARY KEY (business_id, customer_id);

ALTER TABLE ONLY public.customer_upload_parts
    ADD CONSTRAINT customer_upload_parts_pkey PRIMARY KEY (business_id, upload_id, part);

ALTER TABLE ONLY public.customer_uploads
    ADD CONSTRAINT customer_uploads_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (business_id, guid) INCLUDE (name);

ALTER TABLE ONLY public.destination_reports
    ADD CONSTRAINT destination_reports_pkey PRIMARY KEY (business_id, kind, name, worker);

ALTER TABLE ONLY public.digest_closings
    ADD CONSTRAINT digest_closings_pkey PRIMARY KEY (business_id, workflow_id);

ALTER TABLE ONLY public.digest_events
    ADD CONSTRAINT digest_events_pkey PRIMARY KEY (business_id, event_at, event_id, workflow_id, at);

ALTER TABLE ONLY public.digest_items
    ADD CONSTRAINT digest_items_pkey PRIMARY KEY (business_id, digest_id, "position");

ALTER TABLE ONLY public.digests
    ADD CONSTRAINT digests_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.dimension_presets
    ADD CONSTRAINT dimension_presets_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.dispatch_stops
    ADD CONSTRAINT dispatch_stops_pkey PRIMARY KEY (business_id, dispatch_id, shipment_id);

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.drivers
    ADD CONSTRAINT drivers_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.duty_turns
    ADD CONSTRAINT duty_turns_pkey PRIMARY KEY (duty);

ALTER TABLE ONLY public.feed_key
    ADD CONSTRAINT feed_key_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (business_id, token_id, key);

ALTER TABLE ONLY public.import_failures
    ADD CONSTRAINT import_failures_pkey PRIMARY KEY (business_id, integration_id, external_id);

ALTER TABLE ONLY public.imported_orders
    ADD CONSTRAINT imported_orders_pkey PRIMARY KEY (business_id, integration_id, external_id);

ALTER TABLE ONLY public.imported_products
    ADD CONSTRAINT imported_products_pkey PRIMARY KEY (business_id, integration_id, external_id);

ALTER TABLE ONLY public.inbound_deliveries
    ADD CONSTRAINT inbound_deliveries_pkey PRIMARY KEY (business_id, integration_id, delivery_id);

ALTER TABLE ONLY public.integration_runs
    ADD CONSTRAINT integration_runs_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.job_contents
    ADD CONSTRAINT job_contents_pkey PRIMARY KEY (business_id, job_id, name);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.key_check
    ADD CONSTRAINT key_check_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.ledger_findings
    ADD CONSTRAINT ledger_findings_pkey PRIMARY KEY (business_id, found_at);

ALTER TABLE ONLY public.limited_runs
    ADD CONSTRAINT limited_runs_pkey PRIMARY KEY (business_id, run);

ALTER TABLE ONLY public.login_failures
    ADD CONSTRAINT login_failures_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.mail_addresses
    ADD CONSTRAINT mail_addresses_pkey PRIMARY KEY (business_id, address, run, step, at);

ALTER TABLE ONLY public.mail_outbox
    ADD CONSTRAINT mail_outbox_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.matched_events
    ADD CONSTRAINT matched_events_pkey PRIMARY KEY (business_id, hour);

ALTER TABLE ONLY public.order_numbers
    ADD CONSTRAINT order_numbers_pkey PRIMARY KEY (business_id);

ALTER TABLE public.orders
    ADD CONSTRAINT orders_checked CHECK (public.check_order(orders.*)) NOT VALID;

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.own_data_totals
    ADD CONSTRAINT own_data_totals_pkey PRIMARY KEY (business_id, entity_type, value);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.pending_events
    ADD CONSTRAINT pending_events_pkey PRIMARY KEY (shard, id);

ALTER TABLE ONLY public.positions
    ADD CONSTRAINT positions_pkey PRIMARY KEY (business_id, device_guid, at);

ALTER TABLE ONLY public.postponed_matches
    ADD CONSTRAINT postponed_matches_pkey PRIMARY KEY (business_id, workflow_id, event_id, at);

ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.product_settings
    ADD CONSTRAINT product_settings_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.product_skus
    ADD CONSTRAINT product_skus_unique PRIMARY KEY (business_id, sku);

ALTER TABLE public.products
    ADD CONSTRAINT products_customs_value_check CHECK (((customs_value >= (0)::numeric) AND (customs_value < '1000000000000'::numeric))) NOT VALID;

ALTER TABLE public.products
    ADD CONSTRAINT products_hs_code_check CHECK ((hs_code ~ '^[0-9]{6,10}$'::text)) NOT VALID;

ALTER TABLE public.products
    ADD CONSTRAINT products_origin_country_check CHECK ((origin_country ~ '^[A-Z]{2}$'::text)) NOT VALID;

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.purchase_labels
    ADD CONSTRAINT purchase_labels_pkey PRIMARY KEY (business_id, purchase_id);

ALTER TABLE ONLY public.purchases
    ADD CONSTRAINT purchases_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_endpoint_unique UNIQUE (business_id, endpoint);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.pushed_tracking
    ADD CONSTRAINT pushed_tracking_pkey PRIMARY KEY (business_id, shipment_id, tracking_number);

ALTER TABLE ONLY public.quota_windows
    ADD CONSTRAINT quota_windows_pkey PRIMARY KEY (token_id);

ALTER TABLE ONLY public.request_rates
    ADD CONSTRAINT request_rates_pkey PRIMARY KEY (business_id, workflow_id, destination);

ALTER TABLE ONLY public.run_queue
    ADD CONSTRAINT run_queue_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.run_step_texts
    ADD CONSTRAINT run_step_texts_pkey PRIMARY KEY (business_id, origin, number, at);

ALTER TABLE ONLY public.run_sums
    ADD CONSTRAINT run_sums_pkey PRIMARY KEY (business_id, start);

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (business_id, guid, created_at) INCLUDE (workflow_id, status);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (business_id, workflow_id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.secret_keys
    ADD CONSTRAINT secret_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.shards
    ADD CONSTRAINT shards_pkey PRIMARY KEY (shard);

ALTER TABLE ONLY public.shipment_labels
    ADD CONSTRAINT shipment_labels_pkey PRIMARY KEY (business_id, shipment_id);

ALTER TABLE ONLY public.shipment_traces
    ADD CONSTRAINT shipment_traces_pkey PRIMARY KEY (business_id, shipment_id, at, id);

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_announced_delivery_in_range CHECK (((announced_delivery >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (announced_delivery < '10000-01-01 00:00:00+00'::timestamp with time zone))) NOT VALID;

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)) NOT VALID;

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_customs_check CHECK ((jsonb_typeof(customs) = 'object'::text)) NOT VALID;

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_label_status_check CHECK ((label_status = ANY (ARRAY['buying'::text, 'bought'::text, 'refused'::text, 'unknown'::text, 'voiding'::text, 'voided'::text]))) NOT VALID;

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_order_pieces_check CHECK (((jsonb_typeof(order_pieces) = 'object'::text) AND (NOT jsonb_path_exists(order_pieces, 'strict $.keyvalue()?(@."value".type() != "number" || !(@."key" like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))'::jsonpath)))) NOT VALID;

ALTER TABLE ONLY public.shipments
    ADD CONSTRAINT shipments_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE public.shipments
    ADD CONSTRAINT shipments_shipping_price_check CHECK (((shipping_price >= (0)::numeric) AND (shipping_price < '1000000000000'::numeric))) NOT VALID;

ALTER TABLE ONLY public.sku_numbers
    ADD CONSTRAINT sku_numbers_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.source_counts
    ADD CONSTRAINT source_counts_pkey PRIMARY KEY (business_id, kind, source_id, hour);

ALTER TABLE ONLY public.source_watches
    ADD CONSTRAINT source_watches_pkey PRIMARY KEY (business_id, kind, source_id);

ALTER TABLE ONLY public.status_history
    ADD CONSTRAINT status_history_pkey PRIMARY KEY (business_id, entity_id, event_id);

ALTER TABLE ONLY public.suspended_events
    ADD CONSTRAINT suspended_events_pkey PRIMARY KEY (business_id, event_id, at);

ALTER TABLE ONLY public.template_versions
    ADD CONSTRAINT template_versions_pkey PRIMARY KEY (business_id, template_id, version);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.timelines
    ADD CONSTRAINT timelines_pkey PRIMARY KEY (cluster, timeline);

ALTER TABLE ONLY public.timer_results
    ADD CONSTRAINT timer_results_pkey PRIMARY KEY (business_id, entity_id, workflow_id, value);

ALTER TABLE ONLY public.timer_scans
    ADD CONSTRAINT timer_scans_pkey PRIMARY KEY (business_id, workflow_id);

ALTER TABLE ONLY public.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (business_id, workflow_id, entity_id);

ALTER TABLE ONLY public.tracking_devices
    ADD CONSTRAINT tracking_devices_id_unique UNIQUE (business_id, device_id);

ALTER TABLE ONLY public.tracking_devices
    ADD CONSTRAINT tracking_devices_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.tracking_lanes
    ADD CONSTRAINT tracking_lanes_pkey PRIMARY KEY (business_id, connector);

ALTER TABLE ONLY public.tracking_pulls
    ADD CONSTRAINT tracking_pulls_pkey PRIMARY KEY (business_id, shipment_id, number);

ALTER TABLE ONLY public.tracking_pushes
    ADD CONSTRAINT tracking_pushes_pkey PRIMARY KEY (business_id, integration_id, external_id);

ALTER TABLE ONLY public.tracking_returns
    ADD CONSTRAINT tracking_returns_pkey PRIMARY KEY (business_id, shipment_id, number);

ALTER TABLE ONLY public.tracking_tokens
    ADD CONSTRAINT tracking_tokens_pkey PRIMARY KEY (token);

ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_pkey PRIMARY KEY (business_id, user_id);

ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.vapid_keys
    ADD CONSTRAINT vapid_keys_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.vehicles
    ADD CONSTRAINT vehicles_pkey PRIMARY KEY (business_id, guid);

ALTER TABLE ONLY public.work_locks
    ADD CONSTRAINT work_locks_pkey PRIMARY KEY (kind, slot);

ALTER TABLE ONLY public.worker_beats
    ADD CONSTRAINT worker_beats_pkey PRIMARY KEY (worker, id);

ALTER TABLE ONLY public.worker_words
    ADD CONSTRAINT worker_words_pkey PRIMARY KEY (worker, id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (guid);

ALTER TABLE ONLY public.workflow_epoch
    ADD CONSTRAINT workflow_epoch_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.workflow_firings
    ADD CONSTRAINT workflow_firings_pkey PRIMARY KEY (business_id, workflow_id, hour);

ALTER TABLE ONLY public.workflow_health
    ADD CONSTRAINT workflow_health_pkey PRIMARY KEY (business_id, workflow_id);

ALTER TABLE ONLY public.workflow_secrets
    ADD CONSTRAINT workflow_secrets_pkey PRIMARY KEY (business_id, workflow_id, created_at);

ALTER TABLE ONLY public.workflow_switches
    ADD CONSTRAINT workflow_switches_pkey PRIMARY KEY (business_id, workflow_id, at);

ALTER TABLE ONLY public.workflow_versions
    ADD CONSTRAINT workflow_versions_pkey PRIMARY KEY (business_id, workflow_id, version);

ALTER TABLE ONLY public.workflow_watches
    ADD CONSTRAINT workflow_watches_pkey PRIMARY KEY (business_id, workflow_id);

ALTER TABLE ONLY public.workflows
    ADD CONSTRAINT workflows_pkey PRIMARY KEY (business_id, guid);

CREATE INDEX alert_messages_due ON public.alert_messages USING btree (due_at);

CREATE INDEX alerts_due ON public.alerts USING btree (due_at);

CREATE INDEX api_tokens_by_creation ON public.api_tokens USING btree (business_id, created_at, guid);

CREATE UNIQUE INDEX api_tokens_by_hash ON public.api_tokens USING btree (token_hash);

CREATE INDEX api_tokens_live ON public.api_tokens USING btree (business_id) WHERE (revoked_at IS NULL);

CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (business_id, actor_id, at, guid) WHERE (actor_id IS NOT NULL);

CREATE INDEX audit_log_by_age ON public.audit_log USING btree (at);

CREATE INDEX audit_log_by_entity ON public.audit_log USING btree (business_id, entity_id, at, guid);

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (business_id, at, guid);

CREATE INDEX business_defaults_by_epoch ON public.business_defaults USING btree (epoch);

CREATE INDEX businesses_by_email ON public.businesses USING btree (lower(email));

CREATE INDEX businesses_by_epoch ON public.businesses USING btree (epoch);

CREATE INDEX businesses_by_name ON public.businesses USING btree (name);

CREATE INDEX businesses_suspended ON public.businesses USING btree (guid) WHERE (suspended_at IS NOT NULL);

CREATE INDEX carrier_configurations_inbound ON public.carrier_configurations USING btree (carrier_id) WHERE ((sealed_inbound_secret IS NOT NULL) AND is_active);

CREATE INDEX carrier_configurations_tracked ON public.carrier_configurations USING btree (connector, business_id) WHERE (is_active AND tracking_sync AND (connector <> 'manual'::text));

CREATE INDEX carrier_contacts_by_carrier ON public.carrier_contacts USING btree (business_id, carrier_id);

CREATE INDEX carrier_deliveries_by_age ON public.carrier_deliveries USING btree (received_at);

CREATE INDEX carriers_by_guid ON public.carriers USING btree (guid);

CREATE UNIQUE INDEX carriers_code_unique ON public.carriers USING btree (business_id, code) WHERE (deleted_at IS NULL);

CREATE INDEX console_sessions_by_business ON public.console_sessions USING btree (business_id);

CREATE INDEX console_sessions_by_expiry ON public.console_sessions USING btree (expires_at);

CREATE UNIQUE INDEX console_sessions_by_hash ON public.console_sessions USING btree (secret_hash);

CREATE INDEX customer_uploads_by_age ON public.customer_uploads USING btree (created_at);

CREATE INDEX customers_by_change ON public.customers USING btree (business_id, updated_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX customers_by_city ON public.customers USING btree (business_id, city NULLS FIRST) WHERE (deleted_at IS NULL);

CREATE INDEX customers_by_creation ON public.customers USING btree (business_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX customers_by_email ON public.customers USING btree (business_id, email NULLS FIRST, guid);

CREATE INDEX customers_by_metadata ON public.customers USING gin (business_id, metadata jsonb_path_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (metadata IS NOT NULL));

CREATE INDEX customers_by_name ON public.customers USING btree (business_id, name, guid);

CREATE INDEX customers_by_reference ON public.customers USING btree (business_id, external_reference, created_at, guid) WHERE ((deleted_at IS NULL) AND (external_reference IS NOT NULL));

CREATE INDEX customers_by_reference_text ON public.customers USING gin (business_id, lower(external_reference) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (lower(external_reference) IS NOT NULL));

CREATE INDEX customers_by_region ON public.customers USING btree (business_id, country, state) WHERE (deleted_at IS NULL);

CREATE INDEX customers_by_tag ON public.customers USING gin (business_id, public.lower_tags(tags)) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (tags IS NOT NULL));

CREATE INDEX customers_by_text ON public.customers USING gin (business_id, lower(((((((((((((((((COALESCE(name, ''::text) || '
'::text) || COALESCE(email, ''::text)) || '
'::text) || COALESCE(phone, ''::text)) || '
'::text) || COALESCE(company, ''::text)) || '
'::text) || COALESCE(street, ''::text)) || '
'::text) || COALESCE(city, ''::text)) || '
'::text) || COALESCE(postal_code, ''::text)) || '
'::text) || COALESCE(state, ''::text)) || '
'::text) || COALESCE(country, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192');

CREATE INDEX customers_deleted ON public.customers USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX customers_deleted_by_email ON public.customers USING btree (business_id, lower(email)) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX customers_email_unique ON public.customers USING btree (business_id, lower(email)) WHERE (deleted_at IS NULL);

CREATE INDEX digest_events_of_digest ON ONLY public.digest_events USING btree (business_id, digest_id);

CREATE INDEX digest_events_of_record ON ONLY public.digest_events USING btree (business_id, entity_id);

CREATE INDEX digest_items_of_record ON public.digest_items USING btree (business_id, entity_id);

CREATE INDEX digests_due ON public.digests USING btree (shard, check_at) INCLUDE (business_id);

CREATE INDEX digests_open ON public.digests USING btree (business_id, workflow_id, version, value_key) WHERE (NOT is_full);

CREATE INDEX dispatch_stops_by_sequence ON public.dispatch_stops USING btree (business_id, dispatch_id, sequence);

CREATE INDEX dispatches_by_creation ON public.dispatches USING btree (business_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX dispatches_by_status ON public.dispatches USING btree (business_id, status, ended_at) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX dispatches_driver_out ON public.dispatches USING btree (business_id, driver_id) WHERE (status = 'in_progress'::text);

CREATE UNIQUE INDEX dispatches_route_unique ON public.dispatches USING btree (business_id, route_id);

CREATE UNIQUE INDEX dispatches_vehicle_out ON public.dispatches USING btree (business_id, vehicle_id) WHERE (status = 'in_progress'::text);

CREATE INDEX drivers_by_name ON public.drivers USING btree (business_id, name, guid) WHERE (deleted_at IS NULL);

CREATE INDEX events_by_business ON ONLY public.events USING btree (business_id, id);

CREATE INDEX events_by_customer_left ON ONLY public.events USING btree (business_id, COALESCE((order_before).customer_id, (shipment_before).customer_id)) WHERE ((COALESCE((order_before).customer_id, (shipment_before).customer_id) IS NOT NULL) AND (COALESCE((order_after).customer_id, (shipment_after).customer_id) IS DISTINCT FROM COALESCE((order_before).customer_id, (shipment_before).customer_id)));

CREATE INDEX events_by_entity ON ONLY public.events USING btree (business_id, entity_id, id);

CREATE INDEX events_by_id ON ONLY public.events USING btree (id);

CREATE INDEX events_by_order_left ON ONLY public.events USING btree (business_id, ((shipment_before).order_id)) WHERE (((shipment_before).order_id IS NOT NULL) AND ((shipment_after).order_id IS DISTINCT FROM (shipment_before).order_id));

CREATE INDEX events_by_run ON ONLY public.events USING btree (business_id, "left"((cause ->> 'run'::text), 36), id) WHERE (cause ? 'run'::text);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX imported_orders_by_order ON public.imported_orders USING btree (business_id, order_id);

CREATE INDEX imported_products_aside ON public.imported_products USING btree (business_id, integration_id) WHERE (digest ~~ 'aside:%'::text);

CREATE INDEX imported_products_waiting ON public.imported_products USING btree (business_id, integration_id) WHERE (wanted_skus IS NOT NULL);

CREATE INDEX inbound_deliveries_by_age ON public.inbound_deliveries USING btree (received_at);

CREATE INDEX integration_runs_by_integration ON public.integration_runs USING btree (business_id, integration_id, guid);

CREATE INDEX integration_runs_by_start ON public.integration_runs USING btree (started_at);

CREATE INDEX integration_runs_open ON public.integration_runs USING btree (business_id, integration_id) WHERE (finished_at IS NULL);

CREATE UNIQUE INDEX integrations_by_guid ON public.integrations USING btree (guid);

CREATE INDEX integrations_due ON public.integrations USING btree (due_at) WHERE ((status = 'active'::text) AND (removed_at IS NULL));

CREATE INDEX integrations_leased ON public.integrations USING btree (lease_owner) WHERE (lease_owner IS NOT NULL);

CREATE UNIQUE INDEX integrations_store_unique ON public.integrations USING btree (business_id, provider, store_url);

CREATE INDEX jobs_by_start ON public.jobs USING btree (started_at);

CREATE INDEX jobs_due ON public.jobs USING btree (due_at) WHERE (status = 'running'::text);

CREATE INDEX jobs_open ON public.jobs USING btree (business_id) WHERE (status = 'running'::text);

CREATE INDEX jobs_with_file ON public.jobs USING btree (file_until) WHERE (file_until IS NOT NULL);

CREATE INDEX limited_runs_by_expiry ON public.limited_runs USING btree (expires_at);

CREATE INDEX limited_runs_by_value ON public.limited_runs USING btree (workflow_id, value, begun_at) WHERE (begun_at IS NOT NULL);

CREATE INDEX mail_addresses_of_run ON ONLY public.mail_addresses USING btree (business_id, run);

CREATE INDEX mail_outbox_by_due ON public.mail_outbox USING btree (due_at);

CREATE INDEX mail_outbox_by_owner ON public.mail_outbox USING btree (COALESCE(business_id, '00000000-0000-0000-0000-000000000000'::uuid), due_at);

CREATE INDEX matched_events_by_hour ON public.matched_events USING btree (hour);

CREATE INDEX orders_by_change ON public.orders USING btree (business_id, updated_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_city ON public.orders USING btree (business_id, delivery_city NULLS FIRST) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_collection ON public.orders USING btree (business_id, collection_date NULLS FIRST, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_creation ON public.orders USING btree (business_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_customer ON public.orders USING btree (business_id, customer_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_kind ON public.orders USING btree (business_id, carrier_id, service_level, delivery_country, delivery_state, currency) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_metadata ON public.orders USING gin (business_id, metadata jsonb_path_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (metadata IS NOT NULL));

CREATE INDEX orders_by_recipient ON public.orders USING gin (business_id, lower(NULLIF(((((((COALESCE(delivery_name, ''::text) || '
'::text) || COALESCE(delivery_company, ''::text)) || '
'::text) || COALESCE(delivery_phone, ''::text)) || '
'::text) || COALESCE(delivery_email, ''::text)), '

'::text)) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (lower(NULLIF(((((((COALESCE(delivery_name, ''::text) || '
'::text) || COALESCE(delivery_company, ''::text)) || '
'::text) || COALESCE(delivery_phone, ''::text)) || '
'::text) || COALESCE(delivery_email, ''::text)), '

'::text)) IS NOT NULL));

CREATE INDEX orders_by_reference ON public.orders USING btree (business_id, external_reference, created_at, guid) WHERE ((deleted_at IS NULL) AND (external_reference IS NOT NULL));

CREATE INDEX orders_by_reference_text ON public.orders USING gin (business_id, lower(external_reference) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (lower(external_reference) IS NOT NULL));

CREATE INDEX orders_by_shipping_method ON public.orders USING btree (business_id, shipping_method, created_at, guid) WHERE ((deleted_at IS NULL) AND (shipping_method IS NOT NULL));

CREATE INDEX orders_by_source ON public.orders USING btree (business_id, integration_id, created_at, guid) WHERE ((deleted_at IS NULL) AND (integration_id IS NOT NULL));

CREATE INDEX orders_by_status ON public.orders USING btree (business_id, status, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_by_tag ON public.orders USING gin (business_id, public.lower_tags(tags)) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (tags IS NOT NULL));

CREATE INDEX orders_by_text ON public.orders USING gin (business_id, lower(((((((((((((COALESCE(order_number, ''::text) || '
'::text) || COALESCE(delivery_street, ''::text)) || '
'::text) || COALESCE(delivery_city, ''::text)) || '
'::text) || COALESCE(delivery_postal_code, ''::text)) || '
'::text) || COALESCE(delivery_state, ''::text)) || '
'::text) || COALESCE(delivery_country, ''::text)) || '
'::text) || COALESCE(notes, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192');

CREATE INDEX orders_by_value ON public.orders USING btree (business_id, total_value, guid) WHERE (deleted_at IS NULL);

CREATE INDEX orders_deleted ON public.orders USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX orders_deleted_by_customer ON public.orders USING btree (business_id, customer_id) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX orders_external_unique ON public.orders USING btree (business_id, integration_id, external_id) WHERE (integration_id IS NOT NULL);

CREATE UNIQUE INDEX orders_number_unique ON public.orders USING btree (business_id, order_number, (
CASE
    WHEN (integration_id IS NULL) THEN business_id
    ELSE guid
END)) WHERE (deleted_at IS NULL);

CREATE INDEX own_data_changes_by_business ON public.own_data_changes USING btree (business_id, entity_type);

CREATE INDEX own_data_totals_uncounted ON public.own_data_totals USING btree (business_id) WHERE (total IS NULL);

CREATE UNIQUE INDEX password_resets_by_token ON public.password_resets USING btree (token_hash);

CREATE INDEX postponed_matches_by_workflow ON public.postponed_matches USING btree (workflow_id, event_id);

CREATE INDEX product_skus_by_lower ON public.product_skus USING btree (business_id, lower(sku));

CREATE INDEX products_by_change ON public.products USING btree (business_id, updated_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_by_cost ON public.products USING btree (business_id, cost NULLS FIRST, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_by_creation ON public.products USING btree (business_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_by_metadata ON public.products USING gin (business_id, metadata jsonb_path_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (metadata IS NOT NULL));

CREATE INDEX products_by_name ON public.products USING btree (business_id, name, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_by_price ON public.products USING btree (business_id, price NULLS FIRST, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_by_reference ON public.products USING btree (business_id, external_reference, created_at, guid) WHERE ((deleted_at IS NULL) AND (external_reference IS NOT NULL));

CREATE INDEX products_by_reference_text ON public.products USING gin (business_id, lower(external_reference) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (lower(external_reference) IS NOT NULL));

CREATE INDEX products_by_tag ON public.products USING gin (business_id, public.lower_tags(tags)) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (tags IS NOT NULL));

CREATE INDEX products_by_text ON public.products USING gin (business_id, lower(((((((COALESCE(name, ''::text) || '
'::text) || COALESCE(sku, ''::text)) || '
'::text) || COALESCE(description, ''::text)) || '
'::text) || COALESCE(barcode, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192');

CREATE INDEX products_by_weight ON public.products USING btree (business_id, weight NULLS FIRST, guid) WHERE (deleted_at IS NULL);

CREATE INDEX products_deleted ON public.products USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX products_sku_unique ON public.products USING btree (business_id, sku NULLS FIRST) WHERE (deleted_at IS NULL);

CREATE INDEX purchase_labels_of_shipment ON public.purchase_labels USING btree (business_id, shipment_id);

CREATE INDEX purchases_by_carrier ON public.purchases USING btree (business_id, carrier_id, requested_at, guid);

CREATE INDEX purchases_by_number ON public.purchases USING gin (business_id, tracking_numbers) WITH (gin_pending_list_limit='8192');

CREATE INDEX purchases_by_status ON public.purchases USING btree (business_id, status, requested_at, guid);

CREATE INDEX purchases_by_time ON public.purchases USING btree (business_id, requested_at, guid);

CREATE INDEX purchases_due ON public.purchases USING btree (shard, claim_at) INCLUDE (business_id) WHERE (claim_at IS NOT NULL);

CREATE INDEX purchases_due_of_business ON public.purchases USING btree (business_id, connector, claim_at) WHERE (claim_at IS NOT NULL);

CREATE INDEX purchases_leased ON public.purchases USING btree (business_id, connector, lease_until) WHERE (lease_owner IS NOT NULL);

CREATE INDEX purchases_of_shipment ON public.purchases USING btree (business_id, shipment_id, attempt);

CREATE UNIQUE INDEX purchases_one_of_shipment ON public.purchases USING btree (business_id, shipment_id) WHERE ((stray_of IS NULL) AND (status = ANY (ARRAY['requested'::text, 'buying'::text, 'bought'::text, 'unknown'::text, 'voiding'::text])));

CREATE INDEX push_subscriptions_by_user ON public.push_subscriptions USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX record_counts_by_business ON public.record_counts USING btree (business_id, entity_type) INCLUDE (delta);

CREATE INDEX run_counts_by_start ON public.run_counts USING btree (business_id, unit, start) INCLUDE (workflow_id, status, runs);

CREATE INDEX run_queue_awaiting ON public.run_queue USING btree (business_id, awaited_purchase) WHERE (awaited_purchase IS NOT NULL);

CREATE INDEX run_queue_by_workflow ON public.run_queue USING btree (business_id, workflow_id, guid);

CREATE INDEX run_queue_due ON public.run_queue USING btree (destination, due_at) INCLUDE (status) WHERE (status <> 'held'::text);

CREATE INDEX run_queue_held ON public.run_queue USING btree (business_id, workflow_id) WHERE (status = 'held'::text);

CREATE INDEX run_queue_order ON public.run_queue USING btree (business_id, entity_id, workflow_id, event_id) WHERE (status <> 'waiting'::text);

CREATE INDEX run_queue_record_changes ON public.run_queue USING btree (business_id, entity_id, event_id) WHERE public.changes_record(action, changing_action);

CREATE INDEX run_queue_waiting_order ON public.run_queue USING btree (business_id, entity_id, workflow_id, event_id) WHERE (status = 'waiting'::text);

CREATE INDEX run_queue_watching ON public.run_queue USING btree (business_id, entity_id, workflow_id, workflow_version, watched_step) WHERE (watch_after IS NOT NULL);

CREATE INDEX run_sums_by_start ON public.run_sums USING btree (start);

CREATE INDEX runs_by_entity ON ONLY public.runs USING btree (business_id, entity_id, guid);

CREATE INDEX runs_dead ON ONLY public.runs USING btree (business_id, workflow_id, finished_at) WHERE (status = 'dead'::text);

CREATE INDEX runs_unsuccessful ON ONLY public.runs USING btree (business_id, guid) INCLUDE (workflow_id, status, created_at) WHERE (status <> 'succeeded'::text);

CREATE INDEX runs_unsuccessful_by_workflow ON ONLY public.runs USING btree (business_id, workflow_id, guid) INCLUDE (status, created_at) WHERE (status <> 'succeeded'::text);

CREATE INDEX schedules_due ON public.schedules USING btree (check_at);

CREATE UNIQUE INDEX shipment_traces_external_unique ON public.shipment_traces USING btree (business_id, shipment_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX shipments_by_carrier_number ON public.shipments USING btree (business_id, lower(carrier_tracking_number)) WHERE ((deleted_at IS NULL) AND (carrier_tracking_number IS NOT NULL));

CREATE INDEX shipments_by_creation ON public.shipments USING btree (business_id, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_customer ON public.shipments USING btree (business_id, customer_id, created_at) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_dispatch ON public.shipments USING btree (business_id, dispatch_id) WHERE (dispatch_id IS NOT NULL);

CREATE INDEX shipments_by_found_text ON public.shipments USING gin (business_id, lower(((((((((COALESCE(tracking_number, ''::text) || '
'::text) || COALESCE(recipient_name, ''::text)) || '
'::text) || COALESCE(recipient_city, ''::text)) || '
'::text) || COALESCE(carrier_tracking_number, ''::text)) || '
'::text) || COALESCE(recipient_company, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_further_text ON public.shipments USING gin (business_id, lower(((COALESCE(carrier_tracking_number, ''::text) || '
'::text) || COALESCE(recipient_company, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND ((carrier_tracking_number IS NOT NULL) OR (recipient_company IS NOT NULL)));

CREATE INDEX shipments_by_lower_reference ON public.shipments USING btree (business_id, lower(external_reference)) WHERE ((deleted_at IS NULL) AND (external_reference IS NOT NULL));

CREATE INDEX shipments_by_number ON public.shipments USING btree (business_id, lower(tracking_number)) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_order ON public.shipments USING btree (business_id, order_id) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_reference ON public.shipments USING btree (business_id, external_reference, created_at, guid) WHERE ((deleted_at IS NULL) AND (external_reference IS NOT NULL));

CREATE INDEX shipments_by_status ON public.shipments USING btree (business_id, status, created_at, guid) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_by_tag ON public.shipments USING gin (business_id, public.lower_tags(tags)) WITH (gin_pending_list_limit='8192') WHERE ((deleted_at IS NULL) AND (tags IS NOT NULL));

CREATE INDEX shipments_by_text ON public.shipments USING gin (business_id, lower(((((((((COALESCE(tracking_number, ''::text) || '
'::text) || COALESCE(sender_name, ''::text)) || '
'::text) || COALESCE(recipient_name, ''::text)) || '
'::text) || COALESCE(recipient_street, ''::text)) || '
'::text) || COALESCE(recipient_city, ''::text))) public.gin_trgm_ops) WITH (gin_pending_list_limit='8192');

CREATE INDEX shipments_deleted ON public.shipments USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX shipments_deleted_by_customer ON public.shipments USING btree (business_id, customer_id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX shipments_deleted_by_order ON public.shipments USING btree (business_id, order_id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX shipments_expected ON public.shipments USING btree (business_id, estimated_delivery) WHERE ((deleted_at IS NULL) AND (status <> ALL (ARRAY['delivered'::text, 'returned'::text, 'cancelled'::text])));

CREATE UNIQUE INDEX shipments_tracking_unique ON public.shipments USING btree (business_id, tracking_number) WHERE (deleted_at IS NULL);

CREATE INDEX shipments_unassigned ON public.shipments USING btree (business_id, created_at, guid) WHERE ((deleted_at IS NULL) AND (dispatch_id IS NULL) AND (status <> ALL (ARRAY['delivered'::text, 'returned'::text, 'cancelled'::text])));

CREATE INDEX source_counts_by_hour ON public.source_counts USING btree (hour);

CREATE INDEX source_watches_due ON public.source_watches USING btree (due_at);

CREATE INDEX status_counts_by_business ON public.status_counts USING btree (business_id, entity_type);

CREATE INDEX templates_by_epoch ON public.templates USING btree (epoch);

CREATE UNIQUE INDEX templates_code_unique ON public.templates USING btree (business_id, code) WHERE (deleted_at IS NULL);

CREATE INDEX timer_results_by_value ON public.timer_results USING btree (value);

CREATE INDEX timers_by_business ON public.timers USING btree (shard, business_id, check_at);

CREATE INDEX timers_due ON public.timers USING btree (shard, check_at);

CREATE INDEX tracking_devices_by_vehicle ON public.tracking_devices USING btree (business_id, vehicle_id) WHERE (vehicle_id IS NOT NULL);

CREATE INDEX tracking_lanes_due ON public.tracking_lanes USING btree (look_at);

CREATE INDEX tracking_pulls_due ON public.tracking_pulls USING btree (business_id, carrier_id, due_at);

CREATE INDEX tracking_pulls_hinted ON public.tracking_pulls USING btree (business_id, carrier_id, due_at) WHERE (hinted_at IS NOT NULL);

CREATE UNIQUE INDEX tracking_tokens_by_shipment ON public.tracking_tokens USING btree (business_id, shipment_id) INCLUDE (token);

CREATE INDEX user_preferences_by_user ON public.user_preferences USING btree (user_id);

CREATE INDEX user_sessions_by_expiry ON public.user_sessions USING btree (expires_at);

CREATE UNIQUE INDEX user_sessions_by_hash ON public.user_sessions USING btree (token_hash);

CREATE INDEX user_sessions_by_user ON public.user_sessions USING btree (user_id);

CREATE UNIQUE INDEX users_business_email_unique ON public.users USING btree (business_id, lower(email)) WHERE (business_id IS NOT NULL);

CREATE INDEX users_by_business ON public.users USING btree (business_id, created_at, guid) WHERE (business_id IS NOT NULL);

CREATE UNIQUE INDEX users_by_mail_token ON public.users USING btree (mail_token_hash) WHERE (mail_token_hash IS NOT NULL);

CREATE UNIQUE INDEX users_email_unique ON public.users USING btree (lower(email)) WHERE (password_hash IS NOT NULL);

CREATE INDEX vehicles_by_driver ON public.vehicles USING btree (business_id, current_driver_id) WHERE (current_driver_id IS NOT NULL);

CREATE INDEX vehicles_by_name ON public.vehicles USING btree (business_id, name, guid) WHERE (deleted_at IS NULL);

CREATE INDEX workflow_firings_by_hour ON public.workflow_firings USING btree (hour);

CREATE INDEX workflow_versions_watching ON public.workflow_versions USING btree (business_id, workflow_id) WHERE ((definition ->> 'trigger'::text) ~~ '5:%'::text);

CREATE INDEX workflow_watches_due ON public.workflow_watches USING btree (due_at);

CREATE INDEX workflows_by_epoch ON public.workflows USING btree (epoch);

CREATE STATISTICS public.customers_tags ON public.lower_tags(tags) FROM public.customers;

CREATE STATISTICS public.orders_tags ON public.lower_tags(tags) FROM public.orders;

CREATE STATISTICS public.products_tags ON public.lower_tags(tags) FROM public.products;

CREATE STATISTICS public.shipments_tags ON public.lower_tags(tags) FROM public.shipments;

CREATE TRIGGER adapt_to_calendar BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN ((((old.workdays IS DISTINCT FROM new.workdays) OR (old.holidays IS DISTINCT FROM new.holidays)) OR (old.timezone IS DISTINCT FROM new.timezone))) EXECUTE FUNCTION public.adapt_to_calendar();

CREATE TRIGGER add_managed_workflows AFTER INSERT ON public.businesses FOR EACH ROW EXECUTE FUNCTION public.add_workflows_of_new_business();

CREATE TRIGGER advance_epoch BEFORE UPDATE ON public.business_defaults FOR EACH ROW WHEN (((old.email_enabled IS DISTINCT FROM new.email_enabled) OR (old.push_enabled IS DISTINCT FROM new.push_enabled))) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN ((((old.name IS DISTINCT FROM new.name) OR (old.sender_name IS DISTINCT FROM new.sender_name)) OR (old.reply_to IS DISTINCT FROM new.reply_to))) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch BEFORE INSERT OR UPDATE ON public.templates FOR EACH ROW EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch BEFORE INSERT OR UPDATE ON public.workflows FOR EACH ROW EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch_of_calendar BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN (((old.workdays IS DISTINCT FROM new.workdays) OR (old.holidays IS DISTINCT FROM new.holidays))) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch_of_new BEFORE INSERT ON public.business_defaults FOR EACH ROW WHEN ((NOT (new.email_enabled AND new.push_enabled))) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch_of_suspension BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN ((old.suspended_at IS DISTINCT FROM new.suspended_at)) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER advance_epoch_of_zone BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN ((old.timezone IS DISTINCT FROM new.timezone)) EXECUTE FUNCTION public.advance_workflow_epoch();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF name, role, expires_at, revoked_at ON public.api_tokens FOR EACH ROW EXECUTE FUNCTION public.record_audit('token', 'guid', 'revoked_at', 'name=name', 'role=role', 'expires_at@expiresAt');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.business_defaults FOR EACH ROW EXECUTE FUNCTION public.record_audit('business', 'business_id', '', 'carrier_id=defaultCarrier', 'service_level=defaultServiceLevel', 'length=defaultDimensions.length', 'width=defaultDimensions.width', 'height=defaultDimensions.height', 'unit=defaultDimensions.unit', 'email_enabled=notifications.emailEnabled', 'push_enabled=notifications.pushEnabled', 'alert_emails=alerts.emails', 'alert_webhook_url=alerts.webhook.url', 'sealed_alert_secret!alerts.webhook.secret', 'alert_causes=alerts.on', 'alert_minutes=alerts.minutes');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.businesses FOR EACH ROW EXECUTE FUNCTION public.record_audit('business', 'guid', '', 'name=name', 'email=email', 'phone=phone', 'street=address.street', 'city=address.city', 'state=address.state', 'postal_code=address.postalCode', 'country=address.country', 'timezone=settings.timezone', 'currency=settings.currency', 'plan=plan', 'logo_url=branding.logoUrl', 'brand_color=branding.color', 'sender_name=branding.senderName', 'reply_to=branding.replyTo', 'suspended_at@suspendedAt', 'workdays=calendar.workdays', 'holidays=calendar.holidays');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF account_number, default_service_level, test_mode, is_active, sealed_api_key, sealed_api_secret, sealed_inbound_secret, connector, api_url, service_codes, label_format, tracking_sync ON public.carrier_configurations FOR EACH ROW EXECUTE FUNCTION public.record_audit('carrier', 'carrier_id', '', 'account_number=accountNumber', 'default_service_level=defaultServiceLevel', 'test_mode=testMode', 'is_active=isActive', 'sealed_api_key!apiKey', 'sealed_api_secret!apiSecret', 'sealed_inbound_secret!inboundSecret', 'connector=connector', 'api_url=apiUrl', 'service_codes=serviceCodes', 'label_format=labelFormat', 'tracking_sync=trackingSync');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.carriers FOR EACH ROW EXECUTE FUNCTION public.record_audit('carrier', 'guid', 'deleted_at', 'name=name', 'code=code', 'type=type', 'service_levels=serviceLevels', 'tracking_url_pattern=trackingUrlPattern');

CREATE TRIGGER audit AFTER INSERT OR UPDATE OF started_at ON public.console_sessions FOR EACH ROW EXECUTE FUNCTION public.record_audit('console_link', 'guid', '', 'role=role', 'started_at@usedAt');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF provider, store_url, api_key, api_secret, auto_import, sync_products, push_tracking, status, removed_at, service_mapping, import_since ON public.integrations FOR EACH ROW EXECUTE FUNCTION public.record_audit('integration', 'guid', 'removed_at', 'provider=provider', 'store_url=storeUrl', 'auto_import=autoImportOrders', 'sync_products=syncProducts', 'push_tracking=pushTracking', 'status=status', 'service_mapping=serviceMapping', 'import_since@importSince', 'api_key!apiKey', 'api_secret!apiSecret');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.product_settings FOR EACH ROW EXECUTE FUNCTION public.record_audit('product_settings', 'business_id', '', 'auto_generate_sku=autoGenerateSku', 'default_unit=defaultUnit', 'default_weight_unit=defaultWeightUnit');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.templates FOR EACH ROW EXECUTE FUNCTION public.record_audit('template', 'guid', 'deleted_at', 'code=code', 'name=name', 'entity_type=entityType', 'type=type', 'subject=subject', 'body=body', 'html=html', 'title=title', 'url=url');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF business_id, email, first_name, last_name, role, password_hash ON public.users FOR EACH ROW EXECUTE FUNCTION public.record_audit('user', 'guid', 'business_id', 'email=email', 'first_name=firstName', 'last_name=lastName', 'role=role', 'password_hash!password');

CREATE TRIGGER audit_change AFTER UPDATE OF status, voiding_since, resolved_at ON public.purchases FOR EACH ROW WHEN ((((new.voiding_since IS NOT NULL) AND (old.voiding_since IS DISTINCT FROM new.voiding_since)) OR (old.resolved_at IS DISTINCT FROM new.resolved_at))) EXECUTE FUNCTION public.record_audit('purchase', 'guid', '', 'status=status', 'tracking_numbers=carrierTrackingNumbers', 'resolution=resolution', 'voided_at@voidedAt');

CREATE TRIGGER audit_change AFTER DELETE OR UPDATE ON public.workflows FOR EACH ROW EXECUTE FUNCTION public.record_audit('workflow', 'guid', 'deleted_at', 'name=name', 'entity_type=entityType', 'trigger_code=trigger', 'action=action', 'conditions=conditions', 'is_active=isActive', 'ordered=ordered', 'delay=delay', 'paused_reason=pausedReason', 'sealed_credentials!headers', 'time_window=window', 'run_limit=limit', 'request_rate=rate', 'workdays=workdays', 'cancel_on=cancelOn');

CREATE TRIGGER audit_insert AFTER INSERT ON public.purchases FOR EACH ROW WHEN ((new.stray_of IS NULL)) EXECUTE FUNCTION public.record_audit('purchase', 'guid', '', 'shipment_id=shipmentId', 'carrier_id=carrierId', 'service_level=serviceLevel', 'max_price=maxPrice', 'max_currency=maxPriceCurrency', 'format=format', 'status=status');

CREATE TRIGGER audit_insert AFTER INSERT ON public.workflows FOR EACH ROW WHEN ((NOT new.is_managed)) EXECUTE FUNCTION public.record_audit('workflow', 'guid', 'deleted_at', 'name=name', 'entity_type=entityType', 'trigger_code=trigger', 'action=action', 'conditions=conditions', 'is_active=isActive', 'ordered=ordered', 'delay=delay', 'paused_reason=pausedReason', 'sealed_credentials!headers', 'time_window=window', 'run_limit=limit', 'request_rate=rate', 'workdays=workdays', 'cancel_on=cancelOn');

CREATE TRIGGER canonical_changed_items BEFORE UPDATE OF items ON public.orders FOR EACH ROW WHEN (((old.items)::text <> (new.items)::text)) EXECUTE FUNCTION public.store_canonical_items();

CREATE TRIGGER canonical_items BEFORE INSERT ON public.orders FOR EACH ROW EXECUTE FUNCTION public.store_canonical_items();

CREATE TRIGGER close_digests AFTER UPDATE ON public.workflows FOR EACH ROW WHEN ((starts_with(old.trigger_code, '6:'::text) AND ((old.version IS DISTINCT FROM new.version) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)))) EXECUTE FUNCTION public.close_digests();

CREATE TRIGGER count_cancelled_order AFTER UPDATE OF status ON public.orders FOR EACH ROW WHEN (((new.status = 'cancelled'::text) AND (old.status <> 'cancelled'::text))) EXECUTE FUNCTION public.count_cancelled_order();

CREATE TRIGGER count_pause AFTER UPDATE OF paused_reason ON public.workflows FOR EACH ROW WHEN (((old.paused_reason IS NULL) AND (new.paused_reason IS NOT NULL))) EXECUTE FUNCTION public.count_pause();

CREATE TRIGGER count_purchase AFTER UPDATE ON public.purchases FOR EACH ROW WHEN (((new.status <> old.status) OR (new.is_dearer <> old.is_dearer) OR (new.lookups <> old.lookups))) EXECUTE FUNCTION public.count_purchase();

CREATE TRIGGER count_stray AFTER INSERT ON public.purchases FOR EACH ROW WHEN ((new.stray_of IS NOT NULL)) EXECUTE FUNCTION public.count_stray();

CREATE TRIGGER dispatch_after_delete AFTER DELETE ON public.shipments FOR EACH ROW WHEN ((old.dispatch_id IS NOT NULL)) EXECUTE FUNCTION public.follow_shipment();

CREATE TRIGGER dispatch_after_insert AFTER INSERT ON public.shipments FOR EACH ROW WHEN ((new.dispatch_id IS NOT NULL)) EXECUTE FUNCTION public.follow_shipment();

CREATE TRIGGER dispatch_after_update AFTER UPDATE ON public.shipments FOR EACH ROW WHEN ((((old.dispatch_id IS NOT NULL) OR (new.dispatch_id IS NOT NULL)) AND (((old.status IS DISTINCT FROM new.status) OR (old.dispatch_id IS DISTINCT FROM new.dispatch_id)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)))) EXECUTE FUNCTION public.follow_shipment();

CREATE TRIGGER event_delete AFTER DELETE ON public.customers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_customer_delete();

CREATE TRIGGER event_delete AFTER DELETE ON public.orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_order_delete();

CREATE TRIGGER event_delete AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_product_delete();

CREATE TRIGGER event_delete AFTER DELETE ON public.shipments REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_shipment_delete();

CREATE TRIGGER event_insert AFTER INSERT ON public.customers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_customer_insert();

CREATE TRIGGER event_insert AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_order_insert();

CREATE TRIGGER event_insert AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_product_insert();

CREATE TRIGGER event_insert AFTER INSERT ON public.shipments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_shipment_insert();

CREATE TRIGGER event_update AFTER UPDATE ON public.customers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_customer_update();

CREATE TRIGGER event_update AFTER UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION public.record_order_update();

CREATE TRIGGER event_update AFTER UPDATE ON public.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_product_update();

CREATE TRIGGER event_update AFTER UPDATE ON public.shipments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.record_shipment_update();

CREATE TRIGGER keep_times BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION public.keep_order_times();

CREATE TRIGGER limit_rows BEFORE INSERT ON public.api_tokens FOR EACH ROW EXECUTE FUNCTION public.limit_rows('revoked_at is null and (expires_at is null or expires_at > now())');

CREATE TRIGGER limit_rows BEFORE INSERT ON public.carrier_contacts FOR EACH ROW EXECUTE FUNCTION public.limit_rows('true');

CREATE TRIGGER limit_rows BEFORE INSERT ON public.drivers FOR EACH ROW EXECUTE FUNCTION public.limit_rows('deleted_at is null');

CREATE TRIGGER limit_rows BEFORE INSERT ON public.tracking_devices FOR EACH ROW EXECUTE FUNCTION public.limit_rows('true');

CREATE TRIGGER limit_rows BEFORE INSERT ON public.vehicles FOR EACH ROW EXECUTE FUNCTION public.limit_rows('deleted_at is null');

CREATE TRIGGER limits_insert BEFORE INSERT ON public.carriers FOR EACH ROW EXECUTE FUNCTION public.limit_carriers();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.customers FOR EACH ROW EXECUTE FUNCTION public.limit_customers();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.integrations FOR EACH ROW EXECUTE FUNCTION public.limit_integrations();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.orders FOR EACH ROW EXECUTE FUNCTION public.limit_orders();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.products FOR EACH ROW EXECUTE FUNCTION public.limit_products();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.shipment_traces FOR EACH ROW EXECUTE FUNCTION public.limit_shipment_traces();

CREATE TRIGGER limits_insert BEFORE INSERT ON public.shipments FOR EACH ROW EXECUTE FUNCTION public.limit_shipments();

CREATE TRIGGER limits_of_customs_insert BEFORE INSERT ON public.shipments FOR EACH ROW WHEN ((new.customs IS NOT NULL)) EXECUTE FUNCTION public.limit_customs();

CREATE TRIGGER limits_of_customs_update BEFORE UPDATE OF customs ON public.shipments FOR EACH ROW WHEN ((new.customs IS NOT NULL)) EXECUTE FUNCTION public.limit_customs();

CREATE TRIGGER limits_update BEFORE UPDATE OF name, code, tracking_url_pattern ON public.carriers FOR EACH ROW EXECUTE FUNCTION public.limit_carriers();

CREATE TRIGGER limits_update BEFORE UPDATE OF name, phone, company, street, city, state, postal_code, country, external_reference, tags, contacts, reference_list, email, metadata ON public.customers FOR EACH ROW EXECUTE FUNCTION public.limit_customers();

CREATE TRIGGER limits_update BEFORE UPDATE OF store_url ON public.integrations FOR EACH ROW EXECUTE FUNCTION public.limit_integrations();

CREATE TRIGGER limits_update BEFORE UPDATE OF external_id, order_number, delivery_street, delivery_city, delivery_state, delivery_postal_code, delivery_country, delivery_name, delivery_company, delivery_phone, service_level, shipping_method, collection_start, collection_end, external_reference, status_changed_at, metadata, tags, source_url, items, notes, delivery_email ON public.orders FOR EACH ROW EXECUTE FUNCTION public.limit_orders();

CREATE TRIGGER limits_update BEFORE UPDATE OF metadata, name, sku, barcode, external_reference, tags, description, variants ON public.products FOR EACH ROW EXECUTE FUNCTION public.limit_products();

CREATE TRIGGER limits_update BEFORE UPDATE OF description, location, external_id ON public.shipment_traces FOR EACH ROW EXECUTE FUNCTION public.limit_shipment_traces();

CREATE TRIGGER limits_update BEFORE UPDATE OF packages, status_changed_at, last_trace_at, instructions, metadata, recipient_email, tags, carrier_tracking_url, tracking_number, sender_name, sender_company, sender_street, sender_city, sender_state, sender_postal_code, sender_country, sender_phone, recipient_name, recipient_company, recipient_street, recipient_city, recipient_state, recipient_postal_code, recipient_country, recipient_phone, service_level, carrier_tracking_number, external_reference ON public.shipments FOR EACH ROW EXECUTE FUNCTION public.limit_shipments();

CREATE TRIGGER note_changed_zone AFTER UPDATE ON public.businesses FOR EACH ROW WHEN ((old.timezone IS DISTINCT FROM new.timezone)) EXECUTE FUNCTION public.note_changed_zone();

CREATE TRIGGER note_resumption BEFORE UPDATE ON public.businesses FOR EACH ROW WHEN (((old.suspended_at IS NOT NULL) AND (new.suspended_at IS NULL))) EXECUTE FUNCTION public.note_resumption();

CREATE TRIGGER own_data_delete AFTER DELETE ON public.customers FOR EACH ROW WHEN (((old.external_reference IS NOT NULL) OR (old.tags IS NOT NULL) OR (old.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('2');

CREATE TRIGGER own_data_delete AFTER DELETE ON public.orders FOR EACH ROW WHEN (((old.external_reference IS NOT NULL) OR (old.tags IS NOT NULL) OR (old.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('0');

CREATE TRIGGER own_data_delete AFTER DELETE ON public.products FOR EACH ROW WHEN (((old.external_reference IS NOT NULL) OR (old.tags IS NOT NULL) OR (old.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('3');

CREATE TRIGGER own_data_delete AFTER DELETE ON public.shipments FOR EACH ROW WHEN (((old.external_reference IS NOT NULL) OR (old.tags IS NOT NULL) OR (old.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('1');

CREATE TRIGGER own_data_insert AFTER INSERT ON public.customers FOR EACH ROW WHEN (((new.external_reference IS NOT NULL) OR (new.tags IS NOT NULL) OR (new.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('2');

CREATE TRIGGER own_data_insert AFTER INSERT ON public.orders FOR EACH ROW WHEN (((new.external_reference IS NOT NULL) OR (new.tags IS NOT NULL) OR (new.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('0');

CREATE TRIGGER own_data_insert AFTER INSERT ON public.products FOR EACH ROW WHEN (((new.external_reference IS NOT NULL) OR (new.tags IS NOT NULL) OR (new.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('3');

CREATE TRIGGER own_data_insert AFTER INSERT ON public.shipments FOR EACH ROW WHEN (((new.external_reference IS NOT NULL) OR (new.tags IS NOT NULL) OR (new.metadata IS NOT NULL))) EXECUTE FUNCTION public.record_own_data('1');

CREATE TRIGGER own_data_update AFTER UPDATE ON public.customers FOR EACH ROW WHEN (((new.tags IS DISTINCT FROM old.tags) OR (new.metadata IS DISTINCT FROM old.metadata) OR (new.external_reference IS DISTINCT FROM old.external_reference) OR (new.deleted_at IS DISTINCT FROM old.deleted_at) OR (new.created_at IS DISTINCT FROM old.created_at))) EXECUTE FUNCTION public.record_own_data('2');

CREATE TRIGGER own_data_update AFTER UPDATE ON public.orders FOR EACH ROW WHEN (((new.tags IS DISTINCT FROM old.tags) OR (new.metadata IS DISTINCT FROM old.metadata) OR (new.external_reference IS DISTINCT FROM old.external_reference) OR (new.deleted_at IS DISTINCT FROM old.deleted_at) OR (new.created_at IS DISTINCT FROM old.created_at))) EXECUTE FUNCTION public.record_own_data('0');

CREATE TRIGGER own_data_update AFTER UPDATE ON public.products FOR EACH ROW WHEN (((new.tags IS DISTINCT FROM old.tags) OR (new.metadata IS DISTINCT FROM old.metadata) OR (new.external_reference IS DISTINCT FROM old.external_reference) OR (new.deleted_at IS DISTINCT FROM old.deleted_at) OR (new.created_at IS DISTINCT FROM old.created_at))) EXECUTE FUNCTION public.record_own_data('3');

CREATE TRIGGER own_data_update AFTER UPDATE ON public.shipments FOR EACH ROW WHEN (((new.tags IS DISTINCT FROM old.tags) OR (new.metadata IS DISTINCT FROM old.metadata) OR (new.external_reference IS DISTINCT FROM old.external_reference) OR (new.deleted_at IS DISTINCT FROM old.deleted_at) OR (new.created_at IS DISTINCT FROM old.created_at))) EXECUTE FUNCTION public.record_own_data('1');

CREATE TRIGGER plan_timer BEFORE INSERT OR UPDATE OF trigger_code, entity_type ON public.workflows FOR EACH ROW EXECUTE FUNCTION public.plan_workflow_timer();

CREATE TRIGGER record_switch AFTER INSERT OR UPDATE OF is_active ON public.workflows FOR EACH ROW EXECUTE FUNCTION public.record_workflow_switch();

CREATE TRIGGER refuse_new_key BEFORE UPDATE OF business_id, guid ON public.customers FOR EACH ROW WHEN (((old.business_id IS DISTINCT FROM new.business_id) OR (old.guid IS DISTINCT FROM new.guid))) EXECUTE FUNCTION public.refuse_new_key();

CREATE TRIGGER refuse_new_key BEFORE UPDATE OF business_id, guid ON public.orders FOR EACH ROW WHEN (((old.business_id IS DISTINCT FROM new.business_id) OR (old.guid IS DISTINCT FROM new.guid))) EXECUTE FUNCTION public.refuse_new_key();

CREATE TRIGGER refuse_new_key BEFORE UPDATE OF business_id, guid ON public.products FOR EACH ROW WHEN (((old.business_id IS DISTINCT FROM new.business_id) OR (old.guid IS DISTINCT FROM new.guid))) EXECUTE FUNCTION public.refuse_new_key();

CREATE TRIGGER refuse_new_key BEFORE UPDATE OF business_id, guid ON public.shipments FOR EACH ROW WHEN (((old.business_id IS DISTINCT FROM new.business_id) OR (old.guid IS DISTINCT FROM new.guid))) EXECUTE FUNCTION public.refuse_new_key();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.customers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.orders FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.products FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.shipments FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER restart_judged_since BEFORE UPDATE ON public.workflows FOR EACH ROW WHEN ((((old.paused_reason IS NOT NULL) AND (new.paused_reason IS NULL)) OR (new.is_active AND (NOT old.is_active)) OR (new.version <> old.version))) EXECUTE FUNCTION public.restart_judged_since();

CREATE TRIGGER set_dates_insert BEFORE INSERT ON public.shipments FOR EACH ROW EXECUTE FUNCTION public.set_shipment_dates();

CREATE TRIGGER set_dates_update BEFORE UPDATE ON public.shipments FOR EACH ROW WHEN (((((((old.status IS DISTINCT FROM new.status) OR (old.collection_date IS DISTINCT FROM new.collection_date)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.service_level IS DISTINCT FROM new.service_level)) OR (old.estimated_delivery IS DISTINCT FROM new.estimated_delivery)) OR (old.announced_delivery IS DISTINCT FROM new.announced_delivery))) EXECUTE FUNCTION public.set_shipment_dates();

CREATE TRIGGER skus_after_delete AFTER DELETE ON public.products FOR EACH ROW EXECUTE FUNCTION public.update_product_skus();

CREATE TRIGGER skus_after_insert AFTER INSERT ON public.products FOR EACH ROW EXECUTE FUNCTION public.update_product_skus();

CREATE TRIGGER skus_after_update AFTER UPDATE OF sku, variants, deleted_at ON public.products FOR EACH ROW WHEN ((((old.sku IS DISTINCT FROM new.sku) OR (old.variants IS DISTINCT FROM new.variants)) OR ((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL)))) EXECUTE FUNCTION public.update_product_skus();

CREATE TRIGGER store_idle_until AFTER INSERT ON public.worker_beats FOR EACH STATEMENT EXECUTE FUNCTION public.store_idle_until();

CREATE TRIGGER store_idle_until AFTER INSERT ON public.worker_words FOR EACH STATEMENT EXECUTE FUNCTION public.store_idle_until();

CREATE TRIGGER switch_push_tracking AFTER INSERT OR DELETE OR UPDATE OF status, push_tracking, removed_at ON public.integrations FOR EACH ROW EXECUTE FUNCTION public.switch_push_tracking();

CREATE TRIGGER touch BEFORE UPDATE ON public.carrier_configurations FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.customers FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.dispatches FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.drivers FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.shipments FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch BEFORE UPDATE ON public.vehicles FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER touch_workflows AFTER UPDATE OF name ON public.businesses FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION public.touch_business_workflows();

CREATE TRIGGER trace_insert AFTER INSERT ON public.shipments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.trace_inserted_shipments();

CREATE TRIGGER trace_update AFTER UPDATE ON public.shipments FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) OR (new.status = ANY (ARRAY['delivered'::text, 'returned'::text, 'cancelled'::text])))) EXECUTE FUNCTION public.trace_updated_shipments();

CREATE TRIGGER tracking_tokens AFTER INSERT ON public.shipments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.add_tracking_tokens();

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.business_defaults
    ADD CONSTRAINT business_defaults_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.business_mails
    ADD CONSTRAINT business_mails_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.carrier_configurations
    ADD CONSTRAINT carrier_configurations_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.carrier_contacts
    ADD CONSTRAINT carrier_contacts_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.customer_erasures
    ADD CONSTRAINT customer_erasures_business_id_customer_id_fkey FOREIGN KEY (business_id, customer_id) REFERENCES public.customers(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.customer_upload_parts
    ADD CONSTRAINT customer_upload_parts_business_id_upload_id_fkey FOREIGN KEY (business_id, upload_id) REFERENCES public.customer_uploads(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.customer_uploads
    ADD CONSTRAINT customer_uploads_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.dimension_presets
    ADD CONSTRAINT dimension_presets_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.drivers
    ADD CONSTRAINT drivers_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.job_contents
    ADD CONSTRAINT job_contents_business_id_job_id_fkey FOREIGN KEY (business_id, job_id) REFERENCES public.jobs(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.order_numbers
    ADD CONSTRAINT order_numbers_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.product_settings
    ADD CONSTRAINT product_settings_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.purchase_labels
    ADD CONSTRAINT purchase_labels_business_id_purchase_id_fkey FOREIGN KEY (business_id, purchase_id) REFERENCES public.purchases(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.purchase_labels
    ADD CONSTRAINT purchase_labels_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.pushed_tracking
    ADD CONSTRAINT pushed_tracking_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.shipment_labels
    ADD CONSTRAINT shipment_labels_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.shipment_traces
    ADD CONSTRAINT shipment_traces_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.shipments
    ADD CONSTRAINT shipments_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.sku_numbers
    ADD CONSTRAINT sku_numbers_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.tracking_devices
    ADD CONSTRAINT tracking_devices_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.tracking_returns
    ADD CONSTRAINT tracking_returns_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.tracking_tokens
    ADD CONSTRAINT tracking_tokens_business_id_shipment_id_fkey FOREIGN KEY (business_id, shipment_id) REFERENCES public.shipments(business_id, guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(guid) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.vapid_keys
    ADD CONSTRAINT vapid_keys_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.vehicles
    ADD CONSTRAINT vehicles_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

ALTER TABLE ONLY public.workflows
    ADD CONSTRAINT workflows_business_id_fkey FOREIGN KEY (business_id) REFERENCES public.businesses(guid);

