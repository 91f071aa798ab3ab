-- Returns whether a job may be due: claim.sql, whose plan takes far longer, is run only then.
-- -> is_due boolean
select exists (select from jobs where status = 'running' and due_at <= now()
               and (lease_until is null or lease_until <= now())) as is_due
