-- Returns the messages of a person's records, oldest first, for the export of the person.
-- $1 business uuid, $2 records uuid[], $3 no_record uuid,
-- $4 from timestamptz or null, $5 end timestamptz or null (exclusive), $6 most_runs bigint, $7 limit bigint, $8 offset bigint
with found as materialized (
\ir record_runs.inc
),
\ir entries.inc
,
\ir shown.inc
select * from shown order by at, "runId", step
