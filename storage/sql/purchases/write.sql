-- Writes the facts of a purchase that the transaction has locked with its shipment, the label that came with them, and the
-- shipment's part: label_status, and with a label number, link, price, carrier, service level and the date of delivery that the
-- carrier announces when it sells the label. Each package takes a number; if several packages have one number more, the first
-- is that of the shipment alone. A voided label takes number, link, price and that date from the shipment again. A stray label,
-- or a purchase before the last one, changes nothing of the shipment. A carrier that is chosen keeps its account until the end
-- of the transaction. A purchase whose lease is kept is not claimed before its end; another one that is due wakes the workers.
-- $1 business uuid, $2 purchase uuid, $3 facts json, $4 label bytea or null, $5 label_format text or null,
-- $6 keeps_lease boolean, $7 resolved_by text or null (JSON; null: as it is), $8 cause text or null (JSON; of the events),
-- $9 is_succeeded boolean (the next attempt is requested, and the shipment stays as it is)
-- -> is_written boolean, ...
with n as materialized (
  select * from
\ir record.inc
), account as materialized (
  select g.carrier_id
  from n
  join purchases o on o.business_id = $1::uuid and o.guid = $2::uuid and o.carrier_id is null
  join carrier_configurations g on g.business_id = $1::uuid and g.carrier_id = n.carrier_id
  for share of g
), written as (
  update purchases p
  set status = n.status, carrier_id = n.carrier_id, connector = n.connector, gateway_id = n.gateway_id, rate_id = n.rate_id,
      service_level = n.service_level, service_code = n.service_code, service_name = n.service_name, quote = n.quote,
      quote_currency = n.quote_currency, price = n.price, currency = n.currency, is_dearer = n.is_dearer,
      estimated_delivery = n.estimated_delivery, format = coalesce(n.format, p.format), test_mode = n.test_mode,
      tracking_numbers = n.tracking_numbers,
      tracking_url = n.tracking_url, has_label = n.has_label, error_code = n.error_code,
      error_text = n.error_text, void_state = n.void_state, resolution = n.resolution,
      resolved_by = coalesce($7::text, p.resolved_by), looked_up_at = n.looked_up_at, draft_begun_at = n.draft_begun_at,
      buy_begun_at = n.buy_begun_at, unknown_since = n.unknown_since, resolved_at = n.resolved_at, bought_at = n.bought_at,
      voiding_since = n.voiding_since, void_begun_at = n.void_begun_at, voided_at = n.voided_at, attempts = n.attempts,
      lookups = n.lookups, lease_owner = case when $6::boolean then p.lease_owner end,
      lease_until = case when $6::boolean then p.lease_until end,
      next_at = n.next_at,
      claim_at = case when n.next_at is null then null
                      when $6::boolean then greatest(n.next_at, p.lease_until) else n.next_at end
  from n
  where p.business_id = $1::uuid and p.guid = $2::uuid
  returning p.*
), label as (
  insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes)
  select w.business_id, w.guid, w.shipment_id, $5::text, $4::bytea from written w
  where $4::bytea is not null and w.erased_at is null
    and exists (select from shipments r where r.business_id = $1::uuid and r.guid = w.shipment_id)
  on conflict (business_id, purchase_id) do nothing
), shown as (
  select w.shipment_id, w.carrier_id, left(w.service_level, 200) as service_level,
         case when w.status = 'requested' then 'buying' else w.status end as label_status,
         w.status in ('bought', 'voiding') as is_paid, w.status = 'voided' as is_voided, w.tracking_numbers as numbers,
         left(w.tracking_numbers[1], 200) as number, case when length(w.tracking_url) <= 2000 then w.tracking_url end as url,
         case when w.price < 1e12 then w.price end as price, case when w.currency ~ '^[A-Z]{3}$' then w.currency end as currency,
         announced_time(w.estimated_delivery, b.timezone) as announced,
         (o.tracking_numbers, o.tracking_url) is distinct from (w.tracking_numbers, w.tracking_url) as has_other_numbers
  from written w
  join purchases o on o.business_id = $1::uuid and o.guid = w.guid  -- as it was before
  join businesses b on b.guid = $1::uuid
  where w.stray_of is null and not $9::boolean
    and not exists (select from purchases o
                    where o.business_id = $1::uuid and o.shipment_id = w.shipment_id and o.attempt > w.attempt)
), moved as (
  update shipments r
  set label_status = s.label_status,
      carrier_id = case when s.is_paid then coalesce(s.carrier_id, r.carrier_id) else r.carrier_id end,
      service_level = case when s.is_paid then coalesce(s.service_level, r.service_level) else r.service_level end,
      carrier_tracking_number = case when s.is_paid then coalesce(s.number, r.carrier_tracking_number)
                                     when not s.is_voided or r.carrier_tracking_number <> s.number
                                       then r.carrier_tracking_number end,
      carrier_tracking_url = case when s.is_paid then s.url when not s.is_voided then r.carrier_tracking_url end,
      shipping_price = case when s.is_paid then s.price when not s.is_voided then r.shipping_price end,
      currency = case when s.is_paid then s.currency when not s.is_voided then r.currency end,
      announced_delivery = case when s.is_paid and not coalesce(r.label_status in ('bought', 'voiding'), false) then s.announced
                                when not s.is_voided then r.announced_delivery end,
      packages = case when cardinality(s.numbers) > 0 and (s.is_paid or s.is_voided) and jsonb_typeof(r.packages) = 'array'
        then (select coalesce(jsonb_agg(case when jsonb_typeof(k.package) <> 'object' then k.package
                                             when s.is_voided or k.number is null
                                               then k.package - 'carrierTrackingNumber'
                                             else k.package || jsonb_build_object('carrierTrackingNumber', left(k.number, 200))
                                        end order by k.place), '[]')
              from (select e.package, e.place,
                           s.numbers[e.place + case when jsonb_array_length(r.packages) > 1
                                                      and cardinality(s.numbers) = jsonb_array_length(r.packages) + 1
                                                      then 1 else 0 end] as number
                    from jsonb_array_elements(r.packages) with ordinality e (package, place)) k)
        else r.packages end
  from shown s
  where r.business_id = $1::uuid and r.guid = s.shipment_id
    and (r.label_status is distinct from s.label_status
         or (s.is_paid and (r.carrier_tracking_number is distinct from coalesce(s.number, r.carrier_tracking_number)
                            or r.shipping_price is distinct from s.price or s.has_other_numbers)))
)
select exists (select from written) as is_written, exists (select from account) as keeps_account,
       case when $8::text is not null then set_config('waybill.cause', $8::text, true) end as cause,
       case when exists (select from written w where w.claim_at <= clock_timestamp())
         then pg_notify('waybill_purchases', '') end as notified
