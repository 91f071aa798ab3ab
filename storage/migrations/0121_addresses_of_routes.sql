-- A route keeps marks of the addresses and the number of the stops that it was planned for. When it is read and they differ from
-- the present ones, it is planned again, so a change of an address writes nothing to dispatches.

alter table dispatches
  add column planned_from bigint,    -- the mark of the business's address; null: unknown, or never planned
  add column planned_stops integer;

alter table dispatch_stops add column planned_for bigint;  -- the mark of the shipment's address

-- A number that stands for an address. An address without a country is in the country `home`.
create function address_mark(street text, city text, state text, postal_code text, country text, home text) returns bigint
language sql immutable as $$
  select hashtextextended(coalesce(street, '') || E'\n' || coalesce(city, '') || E'\n' || coalesce(state, '') || E'\n'
                          || coalesce(postal_code, '') || E'\n' || coalesce(nullif(btrim(country), ''), home, ''), 0) $$;
