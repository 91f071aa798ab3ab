-- GIN indexes merge their pending entries more often: a list of 2 MB instead of 4 MB. A search reads all pending entries, and the
-- writer whose entry fills the list merges it (docs/decisions/0008). Each index is a step, so no session waits for two of them.

-- @step
alter index @schema@.orders_by_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.orders_by_recipient set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.orders_by_tag set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.orders_by_metadata set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.shipments_by_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.shipments_by_found_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.shipments_by_further_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.shipments_by_tag set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.customers_by_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.customers_by_tag set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.customers_by_metadata set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.products_by_text set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.products_by_tag set (gin_pending_list_limit = 2048);

-- @step
alter index @schema@.products_by_metadata set (gin_pending_list_limit = 2048);
