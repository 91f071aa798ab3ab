-- Adds an order. Without a customer, the customer with the given contact data is found or added; without a number, it has
-- the next one. The customer comes before the number, as in create_many.sql, so that the two cannot deadlock.
-- $1 business uuid, $2 order uuid, $3 number text or null, $4 status text, $5 customer uuid or null,
-- $6 customer_name text or null, $7 customer_email text or null, $8 customer_phone text or null,
-- $9 items json, $10 street text or null, $11 city text or null, $12 state text or null,
-- $13 postal_code text or null, $14 country text or null, $15 carrier uuid or null,
-- $16 service_level text or null, $17 currency text or null, $18 collection_date timestamptz or null,
-- $19 window_start text or null, $20 window_end text or null, $21 notes text or null,
-- $22 delivery_name text or null, $23 delivery_company text or null, $24 delivery_phone text or null,
-- $25 delivery_email text or null, $26 shipping_method text or null, $27 shipping_cost numeric or null,
-- $28 external_reference text or null, $29 tags jsonb or null, $30 metadata jsonb or null
with given as (
  select $2::uuid as guid, coalesce($5::uuid, find_or_add_customer($1, $6, $7, $8)) as customer,
         coalesce($3, next_order_number($1)) as number, $4::text as status, $9::json as items, $10::text as street,
         $11::text as city, $12::text as state, $13::text as postal_code, $14::text as country, $15::uuid as carrier,
         $16::text as service_level, $17::text as currency, $18::timestamptz as collection_date,
         $19::text as window_start, $20::text as window_end, $21::text as notes, $22::text as delivery_name,
         $23::text as delivery_company, $24::text as delivery_phone, $25::text as delivery_email,
         $26::text as shipping_method, $27::numeric as shipping_cost, $28::text as external_reference,
         $29::jsonb as tags, $30::jsonb as metadata
)
\ir insert.inc
