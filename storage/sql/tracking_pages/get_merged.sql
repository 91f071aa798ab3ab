-- Returns the pages of several callers of tracking_pages/get.sql, each row preceded by the caller's position.
-- $1 tokens uuid[]
select w.position,
\ir answer.inc
from unnest($1::uuid[]) with ordinality w (token, position)
join tracking_tokens n on n.token = w.token
\ir tables.inc
order by w.position
