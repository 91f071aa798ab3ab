select m.name, m.checksum from schema_migrations m order by m.name collate "C"
