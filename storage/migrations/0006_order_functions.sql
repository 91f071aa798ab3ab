-- What an order's insert draws on.

-- The business's next free number. Numbers given by hand are skipped; the row of order_numbers is held until the
-- transaction ends, so that no two draw the same.
create function next_order_number(business uuid) returns text language plpgsql as $$
declare
  number bigint;
  drawn text;
begin
  insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from order_numbers where business_id = business for update;
  loop
    number := number + 1;
    drawn := 'ORD-' || lpad(number::text, greatest(6, length(number::text)), '0');
    exit when not exists (select from orders where business_id = business and order_number = drawn
                          and deleted_at is null and integration_id is null);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return drawn;
end $$;

-- The customer of this e-mail address, who is added when there is none; without an address always a new one.
create function find_or_add_customer(business uuid, customer_name text, customer_email text, customer_phone text)
returns uuid language plpgsql as $$
declare
  found_guid uuid;
begin
  loop
    select guid into found_guid from customers
    where business_id = business and lower(email) = lower(customer_email) and deleted_at is null;
    exit when found;
    insert into customers (business_id, name, email, phone)
    values (business, customer_name, customer_email, customer_phone)
    on conflict (business_id, lower(email)) where deleted_at is null do nothing
    returning guid into found_guid;
    exit when found;
  end loop;
  return found_guid;
end $$;
