-- Begins to watch the workflows that are not watched. Of those with a new version, it finds out since when triggers and
-- conditions are the present ones: a change of another part neither begins the learning anew nor ends a silence. A silence
-- ends if they changed, and if the workflow has been switched on since.
with changed as (
  select w.business_id, w.guid, w.version, w.active_since, f.learned_since,
         (select max(v.version) from workflow_versions v
          where v.business_id = w.business_id and v.workflow_id = w.guid
            and v.version >= coalesce(f.version, w.version - 100) and v.version <= w.version
            and not (
\ir ../workflows/fires_alike.inc
            )) as other_version
  from workflows w left join workflow_watches f on f.business_id = w.business_id and f.workflow_id = w.guid
  where w.is_active and w.deleted_at is null
    and (f.version is distinct from w.version or f.silent_since < w.active_since)
  for key share of w skip locked  -- a deletion waits, so that it sees the watch; a locked workflow is left to the next pass
), learned as (
  select c.business_id, c.guid, c.version, c.active_since,
         case when c.other_version is null and c.learned_since is not null then c.learned_since
              else coalesce((select min(v.created_at) from workflow_versions v
                             where v.business_id = c.business_id and v.workflow_id = c.guid
                               and v.version > coalesce(c.other_version, c.version - 101)), now()) end as since
  from changed c
)
insert into workflow_watches as f (business_id, workflow_id, version, learned_since)
select business_id, guid, version, since from learned order by business_id, guid
on conflict (business_id, workflow_id) do update
set version = excluded.version, learned_since = excluded.learned_since, due_at = now(),
    expected_from = case when excluded.learned_since = f.learned_since then f.expected_from end,
    expected_to = case when excluded.learned_since = f.learned_since then f.expected_to end,
    (silent_since, silence) = (
      select f.silent_since, f.silence from workflows w
      where w.business_id = f.business_id and w.guid = f.workflow_id
        and excluded.learned_since = f.learned_since and f.silent_since >= w.active_since)
