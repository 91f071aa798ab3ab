-- Begins to watch the sources that are not watched, and forgets those that are gone. An integration that was connected again
-- learns anew.
with gone as (
  delete from source_watches f
  where case f.kind
    when 'import' then not exists (select from integrations i where i.business_id = f.business_id and i.guid = f.source_id
                                   and i.removed_at is null)
    else f.source_id <> '00000000-0000-0000-0000-000000000000'
         and not exists (select from carriers c where c.business_id in (f.business_id, catalogue_business())
                         and c.guid = f.source_id and c.deleted_at is null) end
), connected as (
  select i.business_id, i.guid, i.connected_at
  from integrations i left join source_watches f on f.business_id = i.business_id and f.kind = 'import' and f.source_id = i.guid
  where i.status = 'active' and i.removed_at is null and i.auto_import and i.sweeping_since is not null
    and (f.source_id is null or f.learned_since < i.connected_at)
  for key share of i skip locked  -- a deletion waits, so that it sees the watch; a locked row is left to the next pass
), scanned as (
  select distinct s.business_id, s.source_id from source_counts s
  where s.hour >= date_trunc('hour', now()) - interval '1 hour' and s.kind = 'scans'
    and not exists (select from source_watches f
                    where f.business_id = s.business_id and f.kind = 'scans' and f.source_id = s.source_id)
    and (s.source_id = '00000000-0000-0000-0000-000000000000'
         or exists (select from carriers c where c.business_id in (s.business_id, catalogue_business())
                    and c.guid = s.source_id and c.deleted_at is null))
), existing as materialized (
  select guid from businesses where guid in (select business_id from scanned) for key share
)
insert into source_watches as f (business_id, kind, source_id, learned_since)
select business_id, 'import', guid, now() from connected
union all
select s.business_id, 'scans', s.source_id, now() from scanned s join existing b on b.guid = s.business_id
order by 1, 2, 3
on conflict (business_id, kind, source_id) do update
set learned_since = excluded.learned_since, due_at = now(), expected_from = null, expected_to = null,
    silent_since = null, silence = null, usual_since = null
