-- Returns the number of the messages of records, from their newest runs, and a page of these messages, newest first.
-- $1 business uuid, $2 records uuid[], $3 no_record uuid,
-- $4 from timestamptz or null, $5 end timestamptz or null (exclusive), $6 most_runs bigint, $7 limit bigint, $8 offset bigint
-- -> total bigint, data json
with found as materialized (
\ir record_runs.inc
),
\ir entries.inc
,
\ir shown.inc
\ir result.inc
