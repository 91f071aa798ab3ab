-- Records an applied migration.
-- $1 name, $2 checksum
insert into schema_migrations (name, checksum) values ($1, $2)
