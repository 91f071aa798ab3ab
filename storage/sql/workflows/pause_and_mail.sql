-- Pauses workflows and puts a mail for each into the outbox. Arrays of one entry a workflow: $1 business, $2 workflow,
-- $3 its epoch when that was decided (one that was changed since is left alone), $4 the reason, $5 the mail's guid (null:
-- there is nobody to mail) and $6 the sealed mail. Answers those that are paused now and were not before, with their
-- new epochs.
with asked as (
  select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::bytea[])
    a (business_id, guid, epoch, reason, mail, sealed)
), paused as (
  update workflows w set paused_reason = a.reason, paused_at = now(), updated_at = now()
  from asked a
  where w.business_id = a.business_id and w.guid = a.guid and w.epoch = a.epoch and w.paused_reason is null and w.is_active
    and w.deleted_at is null
  returning w.guid, w.epoch, a.mail, a.sealed
), mailed as (
  insert into mail_outbox (guid, sealed, expires_at)
  select mail, sealed, now() + interval '7 days' from paused where mail is not null
)
select guid, epoch from paused
