-- Returns the migrations of this program that are not applied, and the applied ones that it does not contain.
-- $1 migrations text[]
-- -> missing text or null, unknown text or null
select (select string_agg(m.name, ', ' order by m.name) from unnest($1::text[]) m (name)
        where not exists (select from schema_migrations s where s.name = m.name)) as missing,
       (select string_agg(s.name, ', ' order by s.name) from schema_migrations s where s.name <> all ($1::text[])) as unknown
