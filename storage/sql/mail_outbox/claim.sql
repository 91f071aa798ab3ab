-- Claims up to four due mails for two minutes and returns them. The number equals that of mails sent in
-- parallel, so that each is sent before its claim ends.
-- -> guid uuid, sealed bytea, attempts int, is_expired boolean
update mail_outbox m set attempts = m.attempts + 1, due_at = now() + interval '2 minutes'
from (select guid from mail_outbox where due_at <= now() order by due_at limit 4 for update skip locked) d
where m.guid = d.guid
returning m.guid, m.sealed, m.attempts, m.expires_at <= now() as is_expired
