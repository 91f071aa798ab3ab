-- Adds a business with its key pair and makes a user its owner. Returns its guid and name.
-- $1 guid uuid, $2 name text, $3 email text, $4 phone text, $5 street text, $6 city text, $7 state text,
-- $8 postal_code text, $9 country text, $10 time_zone text, $11 currency text, $12 owner uuid,
-- $13 public_key text, $14 sealed_private_key bytea
with business as (
  insert into businesses (guid, name, email, phone, street, city, state, postal_code, country, timezone, currency,
                          registered_by_itself)
  values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10::text, 'UTC'), coalesce($11::text, 'EUR'), true)
  returning guid, name, now() at time zone timezone as local  -- an unknown zone is an error
), keys as (
  insert into vapid_keys (business_id, public_key, private_key_sealed)
  select guid, $13, $14::bytea from business
), owner as (
  update users set business_id = $1::uuid, role = 'owner', updated_at = now()
  from business where users.guid = $12::uuid
)
select guid, name from business
