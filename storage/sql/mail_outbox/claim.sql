-- Claims up to four due mails for two minutes and returns them, without those of suspended businesses. The number equals that of mails sent in
-- parallel, so that each is sent before its claim ends.
-- -> guid uuid, sealed bytea, attempts int, is_expired boolean
update mail_outbox m set attempts = m.attempts + 1, due_at = now() + interval '2 minutes'
from (select o.guid from mail_outbox o
      where o.due_at <= now()
        and not exists (select from businesses b where b.guid = o.business_id and b.suspended_at is not null)
      order by o.due_at limit 4 for update skip locked) d
where m.guid = d.guid
returning m.guid, m.sealed, m.attempts, m.expires_at <= now() as is_expired
