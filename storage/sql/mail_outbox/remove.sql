-- $1 guid
delete from mail_outbox where guid = $1::uuid
