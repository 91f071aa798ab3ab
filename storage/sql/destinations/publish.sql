-- Stores reports of a worker, in place of its earlier ones. Once a business has $12 reports, further destinations of it are left
-- out until old ones expire. Businesses that have been deleted are left out; the locks make a deletion wait.
-- $1 worker uuid, $2 businesses uuid[], $3 kinds text[], $4 names text[], $5 places bigint[],
-- $6 next_probes timestamptz[] (null: closed), $7 counted_from timestamptz[], $8 succeeded text[] (each an integer[]),
-- $9 failed text[], $10 durations text[], $11 workflows text[] (each a uuid[]), $12 most bigint
insert into destination_reports (business_id, kind, name, worker, places, next_probe_at, counted_from, succeeded, failed,
                                 durations, workflows)
select r.business, r.kind, r.name, $1::uuid, r.places, r.next_probe, r.counted_from, r.succeeded::integer[],
       r.failed::integer[], r.durations::integer[], r.workflows::uuid[]
from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::text[],
            $10::text[], $11::text[])
  r (business, kind, name, places, next_probe, counted_from, succeeded, failed, durations, workflows)
join businesses b on b.guid = r.business
where coalesce((select true from destination_reports d
                where d.business_id = r.business and d.kind = r.kind and d.name = r.name and d.worker = $1::uuid),
               (select count(*)
                from (select from destination_reports d where d.business_id = r.business limit $12::bigint) own) < $12::bigint)
for key share of b
on conflict (business_id, kind, name, worker) do update
set places = excluded.places, next_probe_at = excluded.next_probe_at, counted_from = excluded.counted_from,
    succeeded = excluded.succeeded, failed = excluded.failed, durations = excluded.durations, workflows = excluded.workflows,
    published_at = excluded.published_at
