-- An update that assigns the items of an order but does not change them does not print them again. The change of an order through
-- the API assigns all its columns, as do the statements of most object mappers.

create or replace trigger canonical_items before insert on orders for each row
  execute function store_canonical_items();
create trigger canonical_changed_items before update of items on orders for each row
  when (old.items::text <> new.items::text) execute function store_canonical_items();
