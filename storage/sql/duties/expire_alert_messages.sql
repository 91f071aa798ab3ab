-- Deletes messages of alerts that are older than any run that they name can be.
-- $1 retention_days int
delete from alert_messages where created_at < now() - $1::integer * interval '1 day'
