-- Returns the next sealed mails that are not sent yet, in the order of their rows. A mail has no business; its id stands
-- in that place.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select guid as business, guid as id, ''::text as name, sealed from mail_outbox
where (guid, guid, ''::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
