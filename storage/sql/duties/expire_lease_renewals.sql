-- Deletes lease renewals that expired more than a minute ago, and the rows of worker_words that are replaced
-- or whose worker is gone.
with expired as (
  delete from worker_beats where expires_at < now() - interval '1 minute'
)
delete from worker_words w
where not exists (select from workers where guid = w.worker)
   or exists (select from worker_words n where n.worker = w.worker and n.id > w.id)
