-- Answers whether this transaction may write, and whether all migrations $1 are applied; others may be applied besides. Runs on
-- a session that does not ask for read only: the answer is no on a standby and under default_transaction_read_only.
select not current_setting('transaction_read_only')::boolean as writable,
       not exists (select from unnest($1::text[]) m (name)
                   where not exists (select from schema_migrations s where s.name = m.name)) as current
