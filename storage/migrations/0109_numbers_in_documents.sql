-- Imported items have the measures of their variant.

-- A number in a JSON object; null if it has none of that name.
create function number_in(document jsonb, member text) returns numeric language sql immutable
return case jsonb_typeof(document -> member) when 'number' then (document -> member)::numeric end;
