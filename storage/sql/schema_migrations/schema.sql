-- Returns the schema in which migrations create their objects.
-- -> name text (quoted)
select quote_ident(current_schema()) as name
