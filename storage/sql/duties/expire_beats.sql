-- What workers said that is no longer so.
with beats as (
  delete from worker_beats where expires_at < now() - interval '1 minute'
)
delete from worker_words w
where not exists (select from workers where guid = w.worker)
   or exists (select from worker_words n where n.worker = w.worker and n.id > w.id)
