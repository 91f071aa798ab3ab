-- Returns the tables and partitions with rows of businesses, each after those that refer to it.
-- -> name text, is_exported boolean (it holds more than secrets), base text (the table of a partition)
\ir tables.inc
select name, name not in ('idempotency_keys', 'workflow_secrets', 'mail_outbox', 'job_contents') as is_exported,
       regexp_replace(name, '_([0-9]{8}|other)$', '') as base
from parts
order by place
