-- Keeps the sealed word $1 if there is none yet, and answers the one that is kept.
with kept as (
  insert into key_check (sealed) values ($1::bytea)
  on conflict (only_row) do update set only_row = true
  returning sealed
)
select encode(sealed, 'hex') from kept
