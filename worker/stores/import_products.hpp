#pragma once

#include "connectors/connector.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// Writes one page of a store's products like `import_orders` does its orders. A product is known by its id
/// in the store, else by its SKU or one of its variants'; without a SKU it is new. What the store has no
/// value for stays as it is here. Products are in none of the run's counters but that of failures.
asio::awaitable<PageCounts> import_products(const ImportScope& scope,
                                            connectors::StorePage<connectors::StoreProduct> page);

}  // namespace waybill::worker
