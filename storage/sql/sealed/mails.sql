-- Returns the next sealed mails that are not sent yet, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select '00000000-0000-0000-0000-000000000000'::uuid as business, guid as id, ''::text as name, sealed from mail_outbox
where ('00000000-0000-0000-0000-000000000000'::uuid, guid, ''::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
