-- Uploads that nobody confirmed within a day, and confirmed ones after $1 days.
delete from customer_uploads
where created_at < now() - interval '24 hours'
  and (confirmed_at is null or confirmed_at < now() - make_interval(days => $1))
