-- Makes jobs due that a wrong clock has postponed for longer than any release of a job, ends such leases, and shortens the time
-- of their files. Returns the number of rows.
-- -> moved bigint
with moved as (
  update jobs
  set due_at = least(due_at, now()), lease_until = least(lease_until, now() + interval '1 minute'),
      file_until = least(file_until, now() + interval '1 day')
  where due_at > now() + interval '10 minutes' or lease_until > now() + interval '10 minutes'
     or file_until > now() + interval '1 day 1 minute'
  returning 1
)
select count(*) as moved from moved
