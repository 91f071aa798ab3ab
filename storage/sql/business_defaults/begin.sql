-- Makes sure that business $1 has a row of its own.
insert into business_defaults (business_id) values ($1::uuid) on conflict (business_id) do nothing
