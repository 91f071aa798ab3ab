insert into businesses (name, plan)
values ($1::text, $2::text)
returning guid, plan
