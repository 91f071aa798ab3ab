-- Returns the duties that no process has performed for longer than their limit, although a process that could have has lived
-- for so long. A time in the future counts as never.
-- $1 duties text[], $2 limits text[] (ISO 8601), $3 roles text[] (the role of the processes that perform it, besides `up`)
-- -> duty text, seconds float8 or null (since it was performed; null: it never was)
select d.duty, extract(epoch from now() - last.at)::float8 as seconds
from unnest($1::text[], $2::text[]::interval[], $3::text[]) d (duty, overdue_after, role)
left join lateral (select t.ended_at as at from duty_turns t where t.duty = d.duty and t.ended_at <= now()) last on true
cross join lateral (select min(p.started_at) as at from processes p
                    where p.role in ('up', d.role) and p.started_at <= now() and process_lives(p.guid)) start
where start.at is not null and greatest(last.at, start.at) < now() - d.overdue_after
order by d.duty
