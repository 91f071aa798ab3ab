-- Returns watched sources at whose counts a look is due, by business, with what is needed for it. Hours are numbers of
-- hours of the business's wall clock. Suspended businesses are left out, and so are integrations that import no orders now:
-- disabled and failing ones, and those that no worker has read for an hour. Carriers that the business has switched off are
-- left out, too.
-- $1 limit bigint
-- -> business_id uuid, kind text, source_id uuid, present_hour bigint, present_part float8, last_hours float8 or null,
-- active_hours float8, learned_hour bigint, counts text (an hour and its number, and so on),
-- closed text (hours in which nothing is expected)
with due as materialized (
  select f.business_id, f.kind, f.source_id, f.learned_since, b.timezone, b.holidays,
         greatest(f.learned_since, f.usual_since, i.sweeping_since, b.resumed_at) as active_since
  from source_watches f
  join businesses b on b.guid = f.business_id
  left join integrations i on f.kind = 'import' and i.business_id = f.business_id and i.guid = f.source_id
  left join carrier_configurations k on f.kind = 'scans' and k.business_id = f.business_id and k.carrier_id = f.source_id
  where f.due_at <= now() and b.suspended_at is null
    and case f.kind when 'import' then i.status = 'active' and i.removed_at is null and i.auto_import
                                       and i.sweeping_since is not null and i.failures = 0
                                       and i.due_at > now() - interval '1 hour'
        else k.is_active is not false end
  order by f.due_at limit $1
)
select d.business_id, d.kind, d.source_id,
       wall_hour(date_trunc('hour', now()), d.timezone) as present_hour,
       (extract(epoch from now() - date_trunc('hour', now())) / 3600)::float8 as present_part,
       (extract(epoch from now() - l.last_at) / 3600)::float8 as last_hours,
       (extract(epoch from now() - d.active_since) / 3600)::float8 as active_hours,
       wall_hour(d.learned_since, d.timezone) + 1 as learned_hour,
       coalesce(h.counts, '') as counts, closed_hours(d.timezone, d.holidays) as closed
from due d
left join lateral (
  select string_agg(wall_hour(s.hour, d.timezone) || ' ' || s.count, ' ') as counts
  from source_counts s
  where s.business_id = d.business_id and s.kind = d.kind and s.source_id = d.source_id
    and s.hour > now() - interval '57 days') h on true
left join lateral (
  select s.last_at from source_counts s
  where s.business_id = d.business_id and s.kind = d.kind and s.source_id = d.source_id and s.hour <= now()
  order by s.hour desc limit 1) l on true
order by d.business_id
