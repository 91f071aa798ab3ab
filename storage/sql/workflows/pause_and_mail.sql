-- Pauses workflows that are active and have not changed since the decision, and adds a mail for each. Returns
-- the paused workflows with their new epochs.
-- $1 businesses uuid[], $2 workflows uuid[], $3 epochs bigint[] (at the decision), $4 reasons text[],
-- $5 mails uuid[] (null: no mail), $6 sealed_mails bytea[]
-- -> guid uuid, epoch bigint
with asked as (
  select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::bytea[])
    a (business_id, guid, epoch, reason, mail, sealed)
), paused as (
  update workflows w set paused_reason = a.reason, paused_at = now(), updated_at = now()
  from asked a
  where w.business_id = a.business_id and w.guid = a.guid and w.epoch = a.epoch and w.paused_reason is null and w.is_active
    and w.deleted_at is null
  returning w.business_id, w.guid, w.epoch, a.mail, a.sealed
), mailed as (
  insert into mail_outbox (guid, sealed, expires_at, business_id)
  select mail, sealed, now() + interval '7 days', business_id from paused where mail is not null
)
select guid, epoch from paused
