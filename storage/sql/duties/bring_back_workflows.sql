-- Dates at the present the switches of workflows and the beginnings of timers that a wrong clock has dated in the future. Returns the
-- number of workflows.
-- -> moved bigint
with moved as (
  update workflows
  set active_since = least(active_since, now()), timer_since = case when timer_since > now() then now() else timer_since end
  where greatest(active_since, timer_since) > now() + interval '1 minute' and deleted_at is null
  returning 1
)
select count(*) as moved from moved
