-- Claims due messages, at most one for each business and channel, and returns them with their contents. Suspended
-- businesses, busy ones and messages that other sessions have locked are left out. `address` is the webhook, or the addresses
-- of the mail, one a line; null if the business has none any more.
-- $1 lease interval, $2 limit bigint, $3 busy_mail uuid[] (businesses), $4 busy_webhook uuid[] (businesses)
-- -> business_id uuid, guid uuid, channel text, cause text, subject_id uuid, count bigint, attempts int,
-- created_at timestamptz, failed_from timestamptz or null, failed_to timestamptz or null, business_name text,
-- address text or null, sealed_secret bytea or null, workflow_name text or null, paused_reason text or null,
-- run jsonb or null, tries text or null, provider text or null, store_url text or null, import jsonb or null,
-- silence jsonb or null, purchase jsonb or null, carrier_name text or null, trigger_code text or null,
-- conditions text or null (of a silent workflow)
with channels as materialized (
  select m.business_id, m.channel, min(m.due_at) as due_at
  from alert_messages m join businesses b on b.guid = m.business_id and b.suspended_at is null
  where m.due_at <= now() and m.business_id <> all (case m.channel when 'email' then $3::uuid[] else $4::uuid[] end)
  group by m.business_id, m.channel
), held as materialized (
  select f.business_id, f.guid
  from (select c.business_id, c.channel from channels c order by c.due_at) c,
       lateral (select m.business_id, m.guid from alert_messages m
                where m.business_id = c.business_id and m.channel = c.channel and m.due_at <= now()
                order by m.due_at limit 1 for update skip locked) f
  limit $2::bigint
), taken as (
  update alert_messages m set attempts = m.attempts + 1, due_at = now() + $1::interval
  from held h where m.business_id = h.business_id and m.guid = h.guid
  returning m.*
)
select t.business_id, t.guid, t.channel, t.cause, t.subject_id, t.count, t.attempts, t.created_at, t.failed_from, t.failed_to,
       b.name as business_name,
       case when t.channel = 'webhook' then d.alert_webhook_url
            else nullif(array_to_string(alert_addresses(d, t.business_id, t.cause), E'\n'), '') end as address,
       d.sealed_alert_secret as sealed_secret, w.name as workflow_name, w.paused_reason,
       case when r.guid is not null then jsonb_build_object(
         'guid', r.guid, 'status', r.status, 'code', r.code, 'error', r.error,
         'entityType', (array['Order', 'Shipment', 'Customer', 'Product'])[r.entity_type + 1], 'entityId', r.entity_id,
         'destination', nullif(split_part(r.destination, '/', 1), ''), 'attempts', r.attempts, 'createdAt', iso(r.created_at))
       end as run, r.tries, n.provider, n.store_url,
       case when i.guid is not null then jsonb_build_object(
         'guid', i.guid, 'integrationId', i.integration_id, 'startedAt', iso(i.started_at), 'finishedAt', iso(i.finished_at),
         'imported', i.imported, 'updated', i.updated, 'failed', i.failed, 'error', i.errors -> -1 ->> 'reason')
       end as import,
       coalesce(s.silence || jsonb_build_object('since', iso(s.silent_since), 'sources', coalesce(o.sources, '[]')),
                v.silence || jsonb_build_object('since', iso(v.silent_since))) as silence,
       p.purchase, k.name as carrier_name, case when s.silent_since is not null then w.trigger_code end as trigger_code,
       case when s.silent_since is not null then w.conditions::text end as conditions
from taken t
join businesses b on b.guid = t.business_id
left join business_defaults d on d.business_id = t.business_id
left join workflows w on w.business_id = t.business_id and w.guid = t.subject_id
left join lateral (select a.* from all_runs a where a.business_id = t.business_id and a.guid = t.run_id
                     and t.cause in ('run_dead', 'destination_down') limit 1) r on true
left join workflow_watches s on s.business_id = t.business_id and s.workflow_id = t.subject_id
  and t.cause = 'workflow_silent'
left join source_watches v on v.business_id = t.business_id and v.source_id = t.subject_id and v.kind || '_silent' = t.cause
left join lateral (
  -- The silent sources of the records of a silent workflow: stores for orders, carriers for shipments.
  select jsonb_agg(jsonb_build_object('cause', q.kind || '_silent', 'guid', q.source_id, 'name', q.name, 'since', iso(q.silent_since))
                   order by q.silent_since) as sources
  from (select q.*, coalesce((select store_name(i) from integrations i
                              where q.kind = 'import' and i.business_id = q.business_id and i.guid = q.source_id),
                             (select c.name from carriers c where q.kind = 'scans' and c.guid = q.source_id
                              and c.business_id in (q.business_id, catalogue_business()) limit 1),
                             'parcels without a carrier') as name
        from source_watches q
        where q.business_id = t.business_id and q.silent_since is not null
          and q.kind = (array['import', 'scans'])[w.entity_type + 1]
        order by q.silent_since limit 10) q) o on s.silent_since is not null
left join lateral (select c.name from carriers c
                   where (t.cause = 'scans_silent' or starts_with(t.cause, 'label_'))
                     and c.business_id in (t.business_id, catalogue_business()) and c.guid = t.subject_id limit 1) k on true
left join integration_runs i on i.business_id = t.business_id and i.guid = t.run_id and t.cause = 'import_failed'
left join integrations n on n.business_id = t.business_id and n.guid = t.subject_id
  and t.cause in ('import_failed', 'import_silent')
left join lateral (
  select jsonb_build_object(
    'guid', u.guid, 'shipmentId', u.shipment_id, 'trackingNumber', r.tracking_number, 'orderId', r.order_id,
    'orderNumber', o.order_number, 'status', u.status, 'voidState', u.void_state, 'connector', u.connector,
    'serviceName', u.service_name, 'price', u.price, 'currency', u.currency, 'quote', u.quote,
    'quoteCurrency', u.quote_currency, 'testMode', u.test_mode, 'code', u.error_code, 'error', u.error_text,
    'requestedAt', iso(u.requested_at)) as purchase
  from purchases u
  left join shipments r on r.business_id = u.business_id and r.guid = u.shipment_id
  left join orders o on o.business_id = r.business_id and o.guid = r.order_id
  where starts_with(t.cause, 'label_') and u.business_id = t.business_id and u.guid = t.run_id) p on true
