-- Makes imports due that a wrong clock has postponed for longer than any pause between two of them, ends such leases, and
-- dates what was imported in the future at the present. An operator's `infinity` stays. Returns the number of rows.
-- -> moved bigint
with stores as (
  update integrations
  set due_at = case when isfinite(due_at) then least(due_at, now() + interval '1 day') else due_at end,
      lease_until = case when isfinite(lease_until) then least(lease_until, now() + interval '1 minute') else lease_until end,
      orders_moved_at = case when orders_moved_at > now() then now() else orders_moved_at end,
      orders_swept_at = case when orders_swept_at > now() then now() else orders_swept_at end,
      products_moved_at = case when products_moved_at > now() then now() else products_moved_at end,
      products_swept_at = case when products_swept_at > now() then now() else products_swept_at end
  where due_at > now() + interval '1 day 1 minute' and isfinite(due_at)
     or lease_until > now() + interval '10 minutes' and isfinite(lease_until)
     or greatest(orders_moved_at, orders_swept_at, products_moved_at, products_swept_at) > now() + interval '1 minute'
  returning 1
), failures as (
  update import_failures set due_at = now() where due_at > now() + interval '1 day 1 minute' returning 1
), pushes as (
  update tracking_pushes set held_until = now() where held_until > now() + interval '61 minutes' returning 1
)
select (select count(*) from stores) + (select count(*) from failures) + (select count(*) from pushes) as moved
