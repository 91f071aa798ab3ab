-- Returns the next mails that are not sent yet, if an address is that of a user of the business. The outbox holds mails of
-- accounts only; those of other businesses' users are not the business's to delete.
-- $1 business uuid, $2 emails text[] (in lower case), $3 after uuid, $4 limit bigint
-- -> guid uuid, sealed bytea
select m.guid, m.sealed from mail_outbox m
where (m.business_id = $1 or m.business_id is null)
  and exists (select from users u where u.business_id = $1 and lower(u.email) = any ($2::text[]))
  and m.guid > $3::uuid
order by m.guid limit $4::bigint
