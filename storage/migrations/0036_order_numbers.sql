-- As before, with two differences. The row of order_numbers is added only if it is missing: `on conflict do nothing` waits for
-- each transaction that has updated the row. The planner does not look into the bounds of the series, so a session plans the
-- query once.
create or replace function next_order_numbers(business uuid, wanted bigint, taken text[]) returns text[] language plpgsql as $$
declare
  number bigint;
  step bigint := wanted;
  found_numbers text[] := '{}';
begin
  if wanted = 0 then
    return found_numbers;
  end if;
  loop
    select last_number into number from order_numbers where business_id = business for update;
    exit when found;
    insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  end loop;
  while step > 0 loop
    found_numbers := found_numbers || array(
      select c.candidate
      from (select n, 'ORD-' || lpad(n::text, greatest(6, length(n::text)), '0') as candidate
            from generate_series((select number + 1), (select number + step)) n) c
      where c.candidate <> all (taken)
        -- `not exists` could be planned as a hash table of all numbers of the business.
        and (select guid from orders where business_id = business and order_number = c.candidate
             and deleted_at is null and integration_id is null limit 1) is null
      order by c.n);
    number := number + step;
    step := wanted - cardinality(found_numbers);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return found_numbers;
end $$;
