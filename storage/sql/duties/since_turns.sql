-- Returns for how long each duty has not been performed; if it never was, since the schema was made. No row for a duty whose
-- last turn did not end, or left work.
-- $1 duties text[]
-- -> duty text, seconds float8
select d.duty, extract(epoch from now() - coalesce(t.ended_at, s.made_at))::float8 as seconds
from unnest($1::text[]) d (duty)
cross join (select min(m.applied_at) as made_at from schema_migrations m) s
left join duty_turns t on t.duty = d.duty
where t.session_pid is null
