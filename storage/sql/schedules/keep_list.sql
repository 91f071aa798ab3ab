-- Stores the list of records of a run of several steps, which all of them see. It is kept as long as their texts.
-- $1 business uuid, $2 run uuid, $3 number int, $4 list text
insert into run_step_texts (business_id, origin, number, at, request)
values ($1, $2, $3, guid_time($2), $4)
on conflict do nothing
