-- Merges the pending entries of a search index (GIN) and returns the number of their pages. Zero for an index that another
-- session drops or rebuilds while this one waits for its lock: PostgreSQL then has an internal error, "could not open
-- relation". The subtransaction of the exception writes nothing.
create function merge_pending_entries(search_index oid) returns bigint language plpgsql as $$
begin
  return gin_clean_pending_list(search_index);
exception when internal_error then
  if exists (select from pg_class c where c.oid = search_index) then
    raise;
  end if;
  return 0;
end $$;
