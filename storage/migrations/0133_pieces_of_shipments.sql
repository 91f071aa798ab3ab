-- Goods that a store adds to an order after its shipment was made are not in the parcel.
-- order_pieces: the pieces of the order's items that are in the parcel, by the items' guids. null: not known, as in a row of SQL
-- or of an earlier binary. Guids and numbers alone, so that it holds nothing of a person. `not valid`: the column is new, so no
-- row needs a check.
alter table shipments add column order_pieces jsonb;
alter table shipments
  add constraint shipments_order_pieces_check check (
    jsonb_typeof(order_pieces) = 'object'
    and not jsonb_path_exists(order_pieces, 'strict $.keyvalue() ? (@.value.type() != "number"
      || !(@.key like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))')) not valid;
