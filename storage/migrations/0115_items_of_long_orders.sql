-- An order has up to 5000 items, and a shipment as many packages, also if SQL writes them: stores have such orders.
do $$
declare
  list record;
  definition text;
  raised text;
begin
  for list in select * from (values ('limit_orders()', 'items'), ('limit_shipments()', 'packages')) l (function, name) loop
    definition := pg_get_functiondef(('@schema@.' || list.function)::regprocedure);
    raised := replace(definition, format('new.%s::pg_catalog.jsonb, 1000, 200)', list.name),
                      format('new.%s::pg_catalog.jsonb, 5000, 200)', list.name));
    if raised = definition then
      raise exception '% has no such limit', list.function;
    end if;
    execute raised;
  end loop;
end $$;
