-- Records an applied migration.
-- $1 name text, $2 checksum text
insert into schema_migrations (name, checksum) values ($1, $2)
