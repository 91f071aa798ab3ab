#pragma once

#include "connectors/connector.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// Writes one page of a store's orders in one transaction: the orders, their customers, the state of the
/// import, the cursor and the run's counters. Leaves out new orders that the store created before the claim's
/// import_since. Of an order that cannot be read or imported, only the status is written, if the order is
/// here (import_statuses.hpp). If the database refuses an order, each order is written in its own
/// transaction, and the refused ones are imported again later. Throws LeaseLost, DatabaseUnavailable, or
/// StatementError for an error that no order causes. The next import then recognizes orders already written.
asio::awaitable<PageCounts> import_orders(const ImportScope& scope,
                                          connectors::StorePage<connectors::StoreOrder> page);

/// Forgets the failure of an order that the store no longer has.
asio::awaitable<void> forget_failure(const ImportScope& scope, std::string external_id);

}  // namespace waybill::worker
