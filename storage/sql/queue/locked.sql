-- Returns the guids of those runs whose rows other sessions have locked.
-- $1 businesses uuid[], $2 workflows uuid[], $3 runs uuid[]
-- -> guid uuid
with over as (
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) o (business_id, workflow_id, guid)
),
\ir places.inc
, free as materialized (
  select q.guid from places p join run_queue q on q.ctid = p.place
  for update of q skip locked
)
select p.guid from places p where p.guid not in (select guid from free)
