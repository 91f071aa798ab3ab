-- $1 the worker, $2 its name.
insert into workers (guid, name) values ($1::uuid, $2) on conflict (guid) do nothing
