-- Returns whether this transaction may write, and whether all given migrations are applied; others may be
-- applied too. The session must not be set to read-only: the first value is false on a standby and under
-- default_transaction_read_only.
-- $1 migrations text[]
-- -> is_writable boolean, is_current boolean
select not current_setting('transaction_read_only')::boolean as is_writable,
       not exists (select from unnest($1::text[]) m (name)
                   where not exists (select from schema_migrations s where s.name = m.name)) as is_current
