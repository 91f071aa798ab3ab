-- Returns the applied migrations with their checksums, in order.
-- -> name text, checksum text
select m.name, m.checksum from schema_migrations m order by m.name collate "C"
