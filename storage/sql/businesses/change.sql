-- Changes the given columns of a business.
-- $1 business uuid, $2 changes jsonb (JSON object by column)
update businesses b
set name = case when g ? 'name' then g ->> 'name' else b.name end,
    renamed_itself = case when g ? 'name' and g ->> 'name' <> b.name then true else b.renamed_itself end,
    email = case when g ? 'email' then g ->> 'email' else b.email end,
    phone = case when g ? 'phone' then g ->> 'phone' else b.phone end,
    street = case when g ? 'street' then g ->> 'street' else b.street end,
    city = case when g ? 'city' then g ->> 'city' else b.city end,
    state = case when g ? 'state' then g ->> 'state' else b.state end,
    postal_code = case when g ? 'postal_code' then g ->> 'postal_code' else b.postal_code end,
    country = case when g ? 'country' then g ->> 'country' else b.country end,
    timezone = case when g ? 'timezone' then g ->> 'timezone' else b.timezone end,
    currency = case when g ? 'currency' then g ->> 'currency' else b.currency end,
    logo_url = case when g ? 'logo_url' then g ->> 'logo_url' else b.logo_url end,
    brand_color = case when g ? 'brand_color' then g ->> 'brand_color' else b.brand_color end,
    sender_name = case when g ? 'sender_name' then g ->> 'sender_name' else b.sender_name end,
    reply_to = case when g ? 'reply_to' then g ->> 'reply_to' else b.reply_to end,
    workdays = case when g ? 'workdays' then g -> 'workdays' else b.workdays end,
    holidays = case when g ? 'holidays' then g -> 'holidays' else b.holidays end,
    updated_at = now()
from cast($2 as jsonb) g
where b.guid = $1::uuid
returning now() at time zone b.timezone  -- an unknown zone is an error
