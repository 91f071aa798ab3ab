-- Returns whether an integration may be due: claim.sql, whose plan takes far longer, is run only then.
-- -> is_due boolean
select exists (select from integrations where status = 'active' and removed_at is null and due_at <= now()
               and (lease_until is null or lease_until <= now())) as is_due
