-- Postpones runs that have waited for a second for an earlier one, up to a thousand of each destination, so that looks for due
-- runs need not examine each of them again. The end of an earlier ordered run makes the next one due (unblocked.inc). The new
-- time is for all other cases, such as a change of the record that waits for another workflow's. A run that is made due
-- meanwhile is another version of its row, so it stays due.
\ir destinations.inc
, blocked as materialized (
  select q.place
  from destinations d,
       lateral (select q.ctid as place
                from (select x.ctid as place from run_queue x
                      where x.destination = d.destination and x.status <> 'held'
                        and x.due_at <= statement_timestamp()
                      order by x.due_at limit 1000) s
                join run_queue q on q.ctid = s.place
                where q.status = 'queued'
                  and (q.due_at < statement_timestamp() - interval '1 second'
                       or q.created_at < statement_timestamp() - interval '10 seconds')
                  and not (true
\ir may_go.inc
                  )
                for update of q skip locked) q
  where d.destination is not null
)
update run_queue q
set due_at = statement_timestamp() +
             case when q.action in ('update_status', 'update_record', 'create_shipment') then interval '2 seconds'
               else interval '30 seconds' end
from blocked b where q.ctid = b.place
