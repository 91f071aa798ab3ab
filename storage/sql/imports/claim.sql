-- Leases due integrations to a worker and returns them with their import run: the requested run, otherwise an
-- unfinished one, otherwise a new one; null if nothing is to be imported. Businesses take turns, the one with
-- the fewest current imports first.
-- $1 worker uuid, $2 limit bigint, $3 lease interval, $4 busy uuid[] (integrations that the worker imports now),
-- $5 new_runs uuid[] (a guid for each of the limit), $6 max_per_business bigint
-- -> business_id uuid, integration_id uuid, provider text, store_url text, sealed_key text (in hex),
-- sealed_secret text or null (in hex), wants_orders boolean, wants_products boolean, run_id uuid or null,
-- is_requested boolean, due_at timestamptz, failures int, orders_reached timestamptz or null,
-- orders_moved_at timestamptz or null, orders_swept_at timestamptz or null,
-- products_reached timestamptz or null, products_moved_at timestamptz or null,
-- products_swept_at timestamptz or null, products_failures int, service_mapping jsonb, import_since timestamptz
with busy as (
  select business_id, count(*) as imports from integrations
  where lease_owner is not null and lease_until > now() group by business_id
), due as (
  select i.business_id, i.guid, i.due_at,
         coalesce(b.imports, 0) + row_number() over (partition by i.business_id order by i.due_at, i.guid) as turn
  from integrations i
  join businesses o on o.guid = i.business_id and o.suspended_at is null
  left join busy b on b.business_id = i.business_id
  where i.status = 'active' and i.removed_at is null and i.due_at <= now()
    and (i.lease_until is null or i.lease_until <= now()) and i.guid <> all ($4::uuid[])
), first as materialized (
  select business_id, guid, row_number() over (order by turn, due_at, guid) as place
  from due where turn <= $6 order by turn, due_at, guid limit $2
), held as materialized (
  select i.business_id, i.guid, i.requested_run, i.auto_import or i.sync_products as has_work, f.place
  from integrations i join first f on f.business_id = i.business_id and f.guid = i.guid
  where i.status = 'active' and i.removed_at is null and i.due_at <= now()
    and (i.lease_until is null or i.lease_until <= now())
  for update of i skip locked
), unfinished as materialized (
  select h.business_id, h.guid as integration_id, r.guid, h.requested_run
  from held h join integration_runs r on r.business_id = h.business_id and r.integration_id = h.guid
  where r.finished_at is null and r.guid is distinct from h.requested_run
), runs as materialized (
  select h.business_id, h.guid as integration_id, h.requested_run is not null as requested,
         coalesce(h.requested_run, (select max(u.guid::text)::uuid from unfinished u
                                    where u.business_id = h.business_id and u.integration_id = h.guid),
                  case when h.has_work then ($5::uuid[])[h.place] end) as guid
  from held h
), superseded as (
  update integration_runs r
  set finished_at = clock_timestamp(),
      errors = r.errors || jsonb_build_array(jsonb_build_object('externalId', null, 'orderNumber', null,
                                                                'reason', 'Interrupted; the next run went on.'))
  from unfinished u join runs n on n.business_id = u.business_id and n.integration_id = u.integration_id
  where r.business_id = u.business_id and r.guid = u.guid and r.guid is distinct from n.guid
), begun as (
  insert into integration_runs (business_id, guid, integration_id, requested)
  select n.business_id, n.guid, n.integration_id, n.requested from runs n where n.guid is not null
  on conflict (business_id, guid) do update set requested = integration_runs.requested or excluded.requested
  returning business_id, guid, integration_id, requested
), leased as (
  update integrations i
  set lease_owner = $1, lease_until = clock_timestamp() + $3::interval, requested_run = null
  from held h where i.business_id = h.business_id and i.guid = h.guid
  returning i.*
)
select l.business_id, l.guid as integration_id, l.provider, l.store_url, encode(l.api_key, 'hex') as sealed_key,
       encode(l.api_secret, 'hex') as sealed_secret, l.auto_import or coalesce(b.requested, false) as wants_orders,
       l.sync_products and (coalesce(b.requested, false) or coalesce(l.products_due_at <= now(), true)) as wants_products,
       b.guid as run_id, coalesce(b.requested, false) as is_requested,
       l.due_at, l.failures,
       l.orders_reached, l.orders_moved_at, l.orders_swept_at,
       l.products_reached, l.products_moved_at, l.products_swept_at, l.products_failures, l.service_mapping,
       coalesce(l.import_since, coalesce(l.first_connected_at, l.connected_at) - interval '30 days') as import_since
from leased l left join begun b on b.business_id = l.business_id and b.integration_id = l.guid
