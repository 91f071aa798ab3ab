-- Returns the next sealed secrets of webhooks for alerts, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, business_id as id, ''::text as name, sealed_alert_secret as sealed from business_defaults
where sealed_alert_secret is not null and (business_id, business_id, ''::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
