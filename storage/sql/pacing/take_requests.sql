-- Takes requests from the buckets of workflows and destinations. Returns for each how many were granted, and
-- the number of seconds until the bucket is full, never more than an empty one needs. A bucket that another session has
-- locked is left out. Workers first lock the slots of all destinations, in the same order, so none finds a bucket locked
-- by another worker.
-- $1 businesses uuid[], $2 workflows uuid[], $3 destinations text[], $4 wanted int[],
-- $5 per_second text[] (numbers)
-- -> destination text, granted int, full_in float8
with locked as materialized (
  select slot from work_locks
  where kind = 'rates' and slot = any (array(select work_slot(d.name) from unnest($3::text[]) d (name)))
  order by slot for update
), turns as materialized (
  select w.*
  from (select count(*) from locked) all_locked,
       unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::text[]::float8[])
         w (business, workflow, destination, wanted, per_second)
  order by w.destination
), free as materialized (
  select r.business_id, r.workflow_id, r.destination
  from turns t
  join request_rates r on r.business_id = t.business and r.workflow_id = t.workflow and r.destination = t.destination
  for update of r skip locked
)
insert into request_rates as r (business_id, workflow_id, destination, per_second, granted, full_at)
select t.business, t.workflow, t.destination, t.per_second, g.granted,
       clock_timestamp() + g.granted / t.per_second * interval '1 second'
from turns t
left join request_rates k on k.business_id = t.business and k.workflow_id = t.workflow and k.destination = t.destination
left join free f on f.business_id = t.business and f.workflow_id = t.workflow and f.destination = t.destination,
     lateral (select least(t.wanted, floor(greatest(t.per_second, 1)))::integer as granted) g
where k.business_id is null or f.business_id is not null
on conflict (business_id, workflow_id, destination) do update
set per_second = excluded.per_second, (granted, full_at) = (
  select taken.granted, present.full_at + taken.granted / excluded.per_second * interval '1 second'
  from (select at, least(greatest(r.full_at, at), at + greatest(excluded.per_second, 1) / excluded.per_second * interval '1 second') as full_at
        from (select clock_timestamp() as at) c) present,
       lateral (select greatest(0, least(excluded.granted, floor(
                  greatest(excluded.per_second, 1) + 1e-6
                  - extract(epoch from present.full_at - present.at) * excluded.per_second)))::integer as granted) taken)
returning destination, granted, extract(epoch from full_at - clock_timestamp())::float8 as full_in
