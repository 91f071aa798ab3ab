-- One request can change a carrier of the business and its configuration. The audit log has one entry of it.
do $migration$
declare
  definition text := pg_get_functiondef('@schema@.record_audit()'::regprocedure);
  finished text := replace(definition, E'\n  insert into audit_log (', $$
  if tg_argv[0] = 'carrier' and before is not null and after is not null and cause #>> '{request,id}' is not null then
    stored := changes;  -- the table has a column of this name
    update audit_log a set changes = a.changes || stored
    where a.business_id = business and a.entity_id = entity and a.at >= now() and a.action = 'updated'
      and a.request_id = cause #>> '{request,id}';
    if found then return null; end if;
  end if;
  insert into audit_log ($$);
begin
  if finished = definition then
    raise exception 'record_audit does not end as expected';
  end if;
  execute finished;
end $migration$;
