#pragma once

#include "connectors/connector.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// Writes one page of a store's orders: the orders, their customers, what is remembered of them, the cursor
/// and the run's counters in one transaction. When one order spoils that, each is written by itself and the
/// bad ones are refused, which are then tried again later. Throws NotOurs, DatabaseUnavailable, or
/// StatementError for what is no order's fault; nothing of the page was then written, or what was is known
/// again.
asio::awaitable<PageCounts> import_orders(const ImportScope& scope,
                                          connectors::StorePage<connectors::StoreOrder> page);

/// Orders that failed before and that the store does not have any more.
asio::awaitable<void> forget_failure(const ImportScope& scope, std::string external_id);

}  // namespace waybill::worker
