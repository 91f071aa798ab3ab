insert into schema_migrations (name, checksum) values ($1, $2)
