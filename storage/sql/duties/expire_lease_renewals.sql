-- Deletes lease renewals that expired more than a minute ago or last longer than any lease, and the rows of
-- worker_words that are replaced or whose worker is gone.
with expired as (
  delete from worker_beats where expires_at not between now() - interval '1 minute' and now() + interval '10 minutes'
)
delete from worker_words w
where not exists (select from workers where guid = w.worker)
   or exists (select from worker_words n where n.worker = w.worker and n.id > w.id)
