-- Removes a business's own, locked carrier with its contacts and configuration, also as default carrier, or the
-- configuration of a built-in carrier. Returns the number of carriers and configurations removed.
-- $1 business uuid, $2 carrier uuid
-- -> removed bigint
with own as (
  update carriers set deleted_at = now() where business_id = $1 and guid = $2 and deleted_at is null returning guid
), configuration as (
  delete from carrier_configurations where business_id = $1 and carrier_id = $2 returning carrier_id
), contacts as (
  delete from carrier_contacts c using own o where c.business_id = $1 and c.carrier_id = o.guid
), defaults as (
  update business_defaults d set carrier_id = null from own o where d.business_id = $1 and d.carrier_id = o.guid
)
select (select count(*) from own) + (select count(*) from configuration) as removed
