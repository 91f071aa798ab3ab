-- Replaces the values of shipments that still have the given versions, and returns those shipments. A shipment that another
-- transaction has locked is left out. Writes nothing for a shipment that does not change.
-- runs: shared
-- $1 business uuid, $2 shipments json (an array of objects with the columns of `given`; without packages they stay)
-- -> guid uuid
with given as materialized (
  select g.* from json_to_recordset($2::json) as g (
    guid uuid, version text, customer uuid, carrier uuid, service_level text, packages jsonb,
\columns typed shipments.merged
  )
), held as materialized (
  select h.guid
  from given g
  cross join lateral (select s.guid from shipments s
                      where s.business_id = $1 and s.guid = g.guid and s.xmin::text = g.version
                      for no key update skip locked) h
), written as (
  update shipments r
  set customer_id = n.customer, carrier_id = n.carrier, service_level = n.service_level,
      packages = coalesce(n.packages, r.packages),
\columns assign shipments.merged n
  from held h join given n on n.guid = h.guid
  where r.business_id = $1 and r.guid = h.guid
    and (r.customer_id, r.carrier_id, r.service_level, r.packages,
\columns values shipments.merged r
        ) is distinct from (n.customer, n.carrier, n.service_level, coalesce(n.packages, r.packages),
\columns values shipments.merged n
        )
)
select guid from held
