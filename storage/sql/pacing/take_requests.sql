-- Takes requests from the buckets of workflows and destinations. Returns for each how many were granted, and
-- the number of seconds until the bucket is full.
-- $1 businesses uuid[], $2 workflows uuid[], $3 destinations text[], $4 wanted int[],
-- $5 per_second text[] (numbers)
-- -> destination text, granted int, full_in float8
insert into request_rates as r (business_id, workflow_id, destination, per_second, granted, full_at)
select w.business, w.workflow, w.destination, w.per_second, g.granted,
       clock_timestamp() + g.granted / w.per_second * interval '1 second'
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::text[]::float8[])
       w (business, workflow, destination, wanted, per_second),
     lateral (select least(w.wanted, floor(greatest(w.per_second, 1)))::integer as granted) g
order by w.workflow, w.destination  -- the same order for all workers, which lock the rows
on conflict (business_id, workflow_id, destination) do update
set per_second = excluded.per_second, (granted, full_at) = (
  select taken.granted, greatest(r.full_at, present.at) + taken.granted / excluded.per_second * interval '1 second'
  from (select clock_timestamp() as at) present,
       lateral (select greatest(0, least(excluded.granted, floor(
                  greatest(excluded.per_second, 1) + 1e-6
                  - greatest(0, extract(epoch from r.full_at - present.at)) * excluded.per_second)))::integer as granted) taken)
returning destination, granted, extract(epoch from full_at - clock_timestamp())::float8 as full_in
