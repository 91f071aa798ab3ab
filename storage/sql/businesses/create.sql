-- Adds a business and returns its guid and plan.
-- $1 name, $2 plan
insert into businesses (name, plan)
values ($1::text, $2::text)
returning guid, plan
