-- The audit log: who changed workflows, templates, tokens, users, carriers, integrations and settings.
--
-- Triggers write it, so an entry and its change are one transaction, whoever makes the change. The writer with plain SQL
-- needs no right on the log and can neither forge nor suppress an entry (docs/decisions/0032).

create table audit_log (
  business_id  uuid not null,
  guid         uuid not null default gen_random_uuid(),
  at           timestamptz not null default clock_timestamp(),
  actor_type   text not null,
  actor_id     uuid,
  actor_name   text,
  action       text not null check (action in ('created', 'updated', 'deleted')),
  entity_type  text not null,
  entity_id    uuid not null,
  entity_name  text,
  changes      jsonb not null,  -- {field: {"from", "to"}}
  request_id   text,
  address      text,
  primary key (business_id, guid)
);
create index audit_log_by_time on audit_log (business_id, at, guid);
create index audit_log_by_entity on audit_log (business_id, entity_id, at, guid);
create index audit_log_by_actor on audit_log (business_id, actor_id, at, guid) where actor_id is not null;
create index audit_log_by_age on audit_log (at);

-- A value as the log keeps it, by the sign of its field: a secret (!) is shown as stars, a time (@) as the API shows it,
-- and a long value is cut.
create function audit_value(value jsonb, sign text) returns jsonb language sql stable
return case when value is null then null
            when sign = '!' then to_jsonb(text '********')
            when sign = '@' then to_jsonb(iso((value #>> '{}')::timestamptz))
            when length(value #>> '{}') > 2000
            then to_jsonb(left(value #>> '{}', 2000) || '… (' || length(value #>> '{}') || ' characters)')
            else value end;

-- The fields that differ between two rows; null if none does. A field is its column, a sign and its name in the API.
create function audit_changes(before jsonb, after jsonb, fields text[]) returns jsonb language sql stable
return (
  select jsonb_object_agg(c.name, jsonb_build_object('from', audit_value(c.was, c.sign), 'to', audit_value(c.now, c.sign)))
  from (select p.part[3] as name, p.part[2] as sign, nullif(before -> p.part[1], 'null') as was,
               nullif(after -> p.part[1], 'null') as now
        from unnest(fields) f (field), regexp_match(f.field, '^(\w+)([=!@])([\w.]+)$') p (part)) c
  where c.was is distinct from c.now);

-- A row with the type of record as the API names it, and without the values of a webhook's headers, which versions before
-- their encryption stored in the action.
create function audit_row(stored jsonb) returns jsonb language sql stable
return stored
       || case when stored ? 'entity_type'
               then jsonb_build_object('entity_type', (array['Order', 'Shipment', 'Customer', 'Product'])
                                                      [(stored ->> 'entity_type')::integer + 1])
               else '{}' end
       || case when jsonb_typeof(stored #> '{action,headers}') = 'object'
               then jsonb_build_object('action', (stored -> 'action') || jsonb_build_object(
                                                 'headers', hidden_headers((stored #> '{action,headers}')::json)))
               else '{}' end;

-- Writes the entry of one changed row. Arguments: the type of the entity, the column of its guid, the column that marks a
-- row as deleted (empty: none; for users the business, which a user who has left does not have), and the fields.
--
-- The author is that of event_cause(), and the request is taken from the same setting, so both count only if the session
-- may name them. waybill.audit = off counts only then, too; it is for changes of the form in which secrets are stored.
create function record_audit() returns trigger language plpgsql security definer
  set search_path to @schema@, pg_temp set timezone to 'UTC' as $$
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
  insert into audit_log (business_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, entity_name, changes,
                         request_id, address)
  values (business, coalesce(cause #>> '{by,type}', 'sql'), (cause #>> '{by,guid}')::uuid, cause #>> '{by,name}',
          case when before is null then 'created' when after is null then 'deleted' else 'updated' end,
          tg_argv[0], entity, entity_name, changes, cause #>> '{request,id}', cause #>> '{request,address}');
  return null;
end $$;
revoke execute on function record_audit() from public;

-- The managed workflows come with the business and are not changes of their own.
create trigger audit_insert after insert on workflows for each row when (not new.is_managed)
  execute function record_audit('workflow', 'guid', 'deleted_at', 'name=name', 'entity_type=entityType',
    'trigger_code=trigger', 'action=action', 'conditions=conditions', 'is_active=isActive', 'ordered=ordered',
    'delay=delay', 'paused_reason=pausedReason', 'sealed_credentials!headers');
create trigger audit_change after update or delete on workflows for each row
  execute function record_audit('workflow', 'guid', 'deleted_at', 'name=name', 'entity_type=entityType',
    'trigger_code=trigger', 'action=action', 'conditions=conditions', 'is_active=isActive', 'ordered=ordered',
    'delay=delay', 'paused_reason=pausedReason', 'sealed_credentials!headers');
create trigger audit after insert or update or delete on templates for each row
  execute function record_audit('template', 'guid', 'deleted_at', 'code=code', 'name=name', 'entity_type=entityType',
    'type=type', 'subject=subject', 'body=body', 'html=html', 'title=title', 'url=url');
-- The time of a token's last use is written often, and the positions of an import with each of its pages. The columns keep
-- such updates from the trigger.
create trigger audit after insert or update of name, role, expires_at, revoked_at or delete on api_tokens for each row
  execute function record_audit('token', 'guid', 'revoked_at', 'name=name', 'role=role', 'expires_at@expiresAt');
create trigger audit
  after insert or update of business_id, email, first_name, last_name, role, password_hash or delete on users
  for each row
  execute function record_audit('user', 'guid', 'business_id', 'email=email', 'first_name=firstName',
    'last_name=lastName', 'role=role', 'password_hash!password');
create trigger audit after insert or update or delete on carriers for each row
  execute function record_audit('carrier', 'guid', 'deleted_at', 'name=name', 'code=code', 'type=type',
    'service_levels=serviceLevels', 'tracking_url_pattern=trackingUrlPattern');
create trigger audit after insert or update or delete on carrier_configurations for each row
  execute function record_audit('carrier', 'carrier_id', '', 'account_number=accountNumber',
    'default_service_level=defaultServiceLevel', 'test_mode=testMode', 'is_active=isActive', 'sealed_api_key!apiKey',
    'sealed_api_secret!apiSecret', 'sealed_inbound_secret!inboundSecret');
create trigger audit
  after insert or update of provider, store_url, api_key, api_secret, auto_import, sync_products, push_tracking, status,
    removed_at, service_mapping, import_since or delete on integrations
  for each row
  execute function record_audit('integration', 'guid', 'removed_at', 'provider=provider', 'store_url=storeUrl',
    'auto_import=autoImportOrders', 'sync_products=syncProducts', 'push_tracking=pushTracking', 'status=status',
    'service_mapping=serviceMapping', 'import_since@importSince', 'api_key!apiKey', 'api_secret!apiSecret');
create trigger audit after insert or update or delete on businesses for each row
  execute function record_audit('business', 'guid', '', 'name=name', 'email=email', 'phone=phone', 'street=address.street',
    'city=address.city', 'state=address.state', 'postal_code=address.postalCode', 'country=address.country', 'timezone=settings.timezone', 'currency=settings.currency',
    'plan=plan', 'logo_url=branding.logoUrl', 'brand_color=branding.color', 'sender_name=branding.senderName', 'reply_to=branding.replyTo',
    'suspended_at@suspendedAt');
create trigger audit after insert or update or delete on business_defaults for each row
  execute function record_audit('business', 'business_id', '', 'carrier_id=defaultCarrier',
    'service_level=defaultServiceLevel', 'length=defaultDimensions.length', 'width=defaultDimensions.width', 'height=defaultDimensions.height', 'unit=defaultDimensions.unit',
    'email_enabled=notifications.emailEnabled', 'push_enabled=notifications.pushEnabled');
create trigger audit after insert or update or delete on product_settings for each row
  execute function record_audit('product_settings', 'business_id', '', 'auto_generate_sku=autoGenerateSku',
    'default_unit=defaultUnit', 'default_weight_unit=defaultWeightUnit');
