-- Dates at the present what a wrong clock has dated in the future: looks at workflows and sources, which are due within six
-- hours, since when these are the same, and since when imports run. Returns the number of rows.
-- -> moved bigint
with workflows as (
  update workflow_watches
  set due_at = now(), learned_since = least(learned_since, now()),
      silent_since = case when silent_since > now() then now() else silent_since end,
      usual_since = case when usual_since > now() then now() else usual_since end
  where due_at > now() + interval '7 hours'
  returning 1
), sources as (
  update source_watches
  set due_at = now(), learned_since = least(learned_since, now()),
      silent_since = case when silent_since > now() then now() else silent_since end,
      usual_since = case when usual_since > now() then now() else usual_since end
  where due_at > now() + interval '7 hours'
  returning 1
), imports as (
  update integrations
  set sweeping_since = case when sweeping_since > now() then now() else sweeping_since end,
      swept_at = case when swept_at > now() then now() else swept_at end
  where greatest(sweeping_since, swept_at) > now() + interval '1 minute'
  returning 1
)
select (select count(*) from workflows) + (select count(*) from sources) + (select count(*) from imports) as moved
