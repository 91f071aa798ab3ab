-- Adds a contact at a carrier and returns it. The carrier cannot be removed before the transaction ends. No row if the carrier
-- does not exist.
-- $1 business uuid, $2 carrier uuid, $3 name text, $4 email text or null, $5 phone text or null,
-- $6 role text or null
-- -> guid uuid, ...
insert into carrier_contacts (business_id, carrier_id, name, email, phone, role)
select $1, k.guid, $3, $4, $5, $6 from carriers k
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
for key share of k
returning guid, name, email
