-- The hours in which a business was suspended are no silence of its workflows, stores and carriers.

alter table businesses add resumed_at timestamptz;  -- the end of its last suspension

create function note_resumption() returns trigger language plpgsql as $$
begin
  new.resumed_at := now();
  return new;
end $$;
create trigger note_resumption before update on businesses for each row
  when (old.suspended_at is not null and new.suspended_at is null) execute function note_resumption();
