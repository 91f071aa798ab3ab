-- The schema in which migrations create their objects, quoted.
select quote_ident(current_schema()) as name
