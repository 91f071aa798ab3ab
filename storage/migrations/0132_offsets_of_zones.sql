-- Local dates in the texts of mails: the offsets of a time zone, for programs without a database of zones.

-- The offsets of a zone from UTC in seconds, each with the time from which it holds in seconds since 1970, oldest first
-- (`1751328000 3600,1761440400 0`): from a year ago to four years ahead. Null if the server does not know the zone.
create function zone_offsets(zone text) returns text language plpgsql stable as $$
declare
  step constant interval := '15 minutes';  -- zones change their offset at such times
  at timestamptz := date_trunc('day', now()) - interval '1 year';
  seconds integer;
  next_seconds integer;
  offsets text;
begin
  seconds := extract(epoch from (at at time zone zone) - (at at time zone 'UTC'));
  offsets := extract(epoch from at)::bigint || ' ' || seconds;
  while at < now() + interval '4 years' loop
    next_seconds := extract(epoch from ((at + interval '1 day') at time zone zone) - ((at + interval '1 day') at time zone 'UTC'));
    if next_seconds <> seconds then
      select offsets || ',' || extract(epoch from min(t))::bigint || ' ' || next_seconds into offsets
      from generate_series(at, at + interval '1 day', step) t
      where extract(epoch from (t at time zone zone) - (t at time zone 'UTC')) = next_seconds;
      seconds := next_seconds;
    end if;
    at := at + interval '1 day';
  end loop;
  return offsets;
exception when invalid_parameter_value then
  return null;
end $$;
