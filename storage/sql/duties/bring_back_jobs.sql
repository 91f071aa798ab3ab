-- Makes jobs due that a wrong clock has postponed for longer than any release of a job, ends such leases, and shortens the time
-- of their files. Returns the number of rows.
-- -> moved bigint
with moved as (
  update jobs
  set due_at = case when due_at > now() then now() else due_at end,
      lease_until = case when lease_until > now() + interval '1 minute' then now() + interval '1 minute' else lease_until end,
      file_until = case when file_until > now() + interval '1 day' then now() + interval '1 day' else file_until end
  where due_at > now() + interval '10 minutes' or lease_until > now() + interval '10 minutes'
     or file_until > now() + interval '1 day 1 minute'
  returning 1
)
select count(*) as moved from moved
