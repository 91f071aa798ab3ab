-- Returns whether a mail may be due: claim.sql, whose plan takes far longer, is run only then.
-- -> is_due boolean
select exists (select from mail_outbox where due_at <= now()) as is_due
