-- Stores the sealed check value if there is none yet. Returns the stored one.
-- $1 sealed bytea
-- -> sealed bytea
with kept as (
  insert into key_check (sealed) values ($1::bytea)
  on conflict (only_row) do update set only_row = true
  returning sealed
)
select sealed from kept
