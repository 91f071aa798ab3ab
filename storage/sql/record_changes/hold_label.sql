-- Locks a shipment whose label is to be bought or voided, without waiting: the given one, or the newest of an order that is
-- neither cancelled nor returned. Returns no row if there is none; otherwise whether it is locked now, its status and service
-- level, whether it has a carrier, the default level of that carrier (standard if it has a code for it), the carrier if it can
-- buy labels, the number of carriers that can (of the given ones, or of all), and the currency of the business.
-- $1 business uuid, $2 shipment uuid or null, $3 order uuid or null, $4 carriers uuid[] (empty: all), $5 cause text
-- -> shipment uuid, is_held boolean, status text, service_level text or null, has_carrier boolean,
-- default_level text or null, carrier uuid or null, connector text or null, label_format text or null,
-- test_mode boolean or null, connected bigint, currency text, ...
with existing as materialized (
  select r.guid, r.status, r.service_level, r.carrier_id
  from shipments r
  where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
  union all
  (select r.guid, r.status, r.service_level, r.carrier_id
   from shipments r
   where $2::uuid is null and r.business_id = $1::uuid and r.order_id = $3::uuid and r.deleted_at is null
     and r.status not in ('cancelled', 'returned')
   order by r.created_at desc, r.guid desc limit 1)
), held as materialized (
  select r.guid, r.status, r.service_level, r.carrier_id
  from shipments r
  where r.business_id = $1::uuid and r.guid = (select guid from existing) and r.deleted_at is null
  for no key update skip locked
), connected as materialized (
  select g.carrier_id, g.connector, g.label_format, g.test_mode
  from carrier_configurations g
  join carriers k on k.business_id in ($1::uuid, catalogue_business()) and k.guid = g.carrier_id and k.deleted_at is null
  where g.business_id = $1::uuid and g.is_active and g.connector <> 'manual'
)
select e.guid as shipment, h.guid is not null as is_held, coalesce(h.status, e.status) as status, h.service_level,
       h.carrier_id is not null as has_carrier,
       (select coalesce(g.default_service_level, case when g.service_codes ? 'standard' then 'standard' end)
        from carrier_configurations g
        where g.business_id = $1::uuid and g.carrier_id = h.carrier_id and g.is_active) as default_level,
       c.carrier_id as carrier, c.connector, c.label_format, c.test_mode,
       (select count(*) from connected o where cardinality($4::uuid[]) = 0 or o.carrier_id = any ($4::uuid[])) as connected,
       b.currency, s.cause
from existing e
join businesses b on b.guid = $1::uuid
left join held h on h.guid = e.guid
left join connected c on c.carrier_id = h.carrier_id,
     (select set_config('waybill.cause', $5::text, true) as cause) s
