-- Adds a business with its key pair and makes a user its owner. Returns its guid and name.
-- $1 guid, $2 name, $3 e-mail, $4 phone, $5 street, $6 city, $7 state, $8 postal code, $9 country,
-- $10 time zone, $11 currency, $12 owner, $13 public key, $14 sealed private key
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
