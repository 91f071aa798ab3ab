-- Replaces the values of shipments that still have the given versions, and returns those shipments. A shipment that another
-- transaction has locked is left out. Writes nothing for a shipment that does not change.
-- $1 business uuid, $2 shipments json (an array of objects with the columns of `given`; without packages they stay)
-- -> guid uuid
with given as materialized (
  select g.* from json_to_recordset($2::json) as g (
    guid uuid, version text, customer uuid, carrier uuid, service_level text, instructions text,
    collection_date timestamptz, packages jsonb, sender_name text, sender_company text, sender_street text,
    sender_city text, sender_state text, sender_postal_code text, sender_country text, sender_phone text,
    recipient_name text, recipient_company text, recipient_street text, recipient_city text, recipient_state text,
    recipient_postal_code text, recipient_country text, recipient_phone text, recipient_email text,
    carrier_tracking_number text, carrier_tracking_url text, external_reference text, tags jsonb, metadata jsonb)
), held as materialized (
  select h.guid
  from given g
  cross join lateral (select s.guid from shipments s
                      where s.business_id = $1 and s.guid = g.guid and s.xmin::text = g.version
                      for no key update skip locked) h
), written as (
  update shipments r
  set customer_id = n.customer, carrier_id = n.carrier, service_level = n.service_level, instructions = n.instructions,
      collection_date = n.collection_date, packages = coalesce(n.packages, r.packages), sender_name = n.sender_name,
      sender_company = n.sender_company, sender_street = n.sender_street, sender_city = n.sender_city,
      sender_state = n.sender_state, sender_postal_code = n.sender_postal_code, sender_country = n.sender_country,
      sender_phone = n.sender_phone, recipient_name = n.recipient_name, recipient_company = n.recipient_company,
      recipient_street = n.recipient_street, recipient_city = n.recipient_city, recipient_state = n.recipient_state,
      recipient_postal_code = n.recipient_postal_code, recipient_country = n.recipient_country,
      recipient_phone = n.recipient_phone, recipient_email = n.recipient_email,
      carrier_tracking_number = n.carrier_tracking_number, carrier_tracking_url = n.carrier_tracking_url,
      external_reference = n.external_reference, tags = n.tags, metadata = n.metadata
  from held h join given n on n.guid = h.guid
  where r.business_id = $1 and r.guid = h.guid
    and (r.customer_id, r.carrier_id, r.service_level, r.instructions, r.collection_date, r.packages, r.sender_name,
         r.sender_company, r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country,
         r.sender_phone, r.recipient_name, r.recipient_company, r.recipient_street, r.recipient_city, r.recipient_state,
         r.recipient_postal_code, r.recipient_country, r.recipient_phone, r.recipient_email, r.carrier_tracking_number,
         r.carrier_tracking_url, r.external_reference, r.tags, r.metadata)
        is distinct from (n.customer, n.carrier, n.service_level, n.instructions, n.collection_date,
                          coalesce(n.packages, r.packages), n.sender_name, n.sender_company, n.sender_street,
                          n.sender_city, n.sender_state, n.sender_postal_code, n.sender_country, n.sender_phone,
                          n.recipient_name, n.recipient_company, n.recipient_street, n.recipient_city,
                          n.recipient_state, n.recipient_postal_code, n.recipient_country, n.recipient_phone,
                          n.recipient_email, n.carrier_tracking_number, n.carrier_tracking_url, n.external_reference,
                          n.tags, n.metadata)
)
select guid from held
