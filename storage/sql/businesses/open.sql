-- Adds a business with its key pair and makes a user its owner. Returns its guid and name.
-- $1 guid uuid, $2 name text, $3 email text, $4 phone text or null, $5 street text or null,
-- $6 city text or null, $7 state text or null, $8 postal_code text or null, $9 country text or null,
-- $10 time_zone text or null, $11 currency text or null, $12 logo_url text or null, $13 brand_color text or null,
-- $14 sender_name text or null, $15 reply_to text or null, $16 owner uuid, $17 public_key text,
-- $18 private_key bytea (sealed), $19 workdays jsonb or null, $20 holidays jsonb or null
with business as (
  insert into businesses (guid, name, email, phone, street, city, state, postal_code, country, timezone, currency, logo_url,
                          brand_color, sender_name, reply_to, registered_by_itself, workdays, holidays)
  values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10::text, 'UTC'), coalesce($11::text, 'EUR'), $12, $13, $14,
          $15, true, coalesce($19::jsonb, '["mon", "tue", "wed", "thu", "fri"]'), coalesce($20::jsonb, '[]'))
  returning guid, name, now() at time zone timezone as local  -- an unknown zone is an error
), keys as (
  insert into vapid_keys (business_id, public_key, private_key_sealed)
  select guid, $17, $18::bytea from business
), owner as (
  update users set business_id = $1::uuid, role = 'owner', updated_at = now()
  from business where users.guid = $16::uuid
)
select guid, name from business
