-- $1 the worker, $2 its name. This version renders runs that were queued without their texts.
insert into workers (guid, name, renders_deferred) values ($1::uuid, $2, true) on conflict (guid) do nothing
