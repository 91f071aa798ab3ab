-- The last tick of each schedule, so that a tick that a wrong clock performed too early is not performed again.
alter table schedules add column last_at timestamptz;  -- null: none yet, or by an earlier release
