-- Deletes uploads that were not confirmed within a day, and confirmed ones after the retention.
-- $1 retention_days int
delete from customer_uploads
where created_at < now() - interval '24 hours'
  and (confirmed_at is null or confirmed_at < now() - make_interval(days => $1))
