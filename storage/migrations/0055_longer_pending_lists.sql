-- GIN indexes may keep pending entries of 8 MB instead of 2 MB. An API process merges those of all indexes, at 4 MB at the
-- latest (docs/decisions/0049), so that no writer reaches the limit and merges while others of its group wait. Each index
-- is a step, so no session waits for two of them.

-- @step
alter index @schema@.orders_by_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.orders_by_recipient set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.orders_by_tag set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.orders_by_metadata set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.shipments_by_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.shipments_by_found_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.shipments_by_further_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.shipments_by_tag set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.customers_by_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.customers_by_tag set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.customers_by_metadata set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.products_by_text set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.products_by_tag set (gin_pending_list_limit = 8192);

-- @step
alter index @schema@.products_by_metadata set (gin_pending_list_limit = 8192);
