-- Adds a business and returns its guid and plan.
-- $1 name text, $2 plan text
-- -> guid uuid, plan text
insert into businesses (name, plan)
values ($1::text, $2::text)
returning guid, plan
