#pragma once

#include <string>
#include <vector>

#include "connectors/connector.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

/// Products for which the store was asked because of their SKUs here, by its ids.
struct AskedOwners {
  std::vector<std::string> ids;   // all of them
  std::vector<std::string> gone;  // those that it does not have (any more), or not for imports
};

/// The store's ids of products that are not on the page and have SKUs here which changed products of the page
/// have in the store. The store may have them no more, or with other SKUs.
asio::awaitable<std::vector<std::string>> owners_to_ask(
    const ImportScope& scope, const connectors::StorePage<connectors::StoreProduct>& page);

/// Writes one page of a store's products in the same way as `import_orders`. A product is identified by its
/// id in the store, otherwise by its SKU or that of a variant; without a SKU it is new. Fields without a
/// value in the store stay unchanged, as do those with a value that cannot be read, which is named. SKUs are
/// unique here, but not in a store: a new product with the SKU of another one of the store is set aside until
/// the SKU is free. A known product, or a variant, with the SKU of another one keeps its own or has none
/// until the other one has another SKU in the store, or is one of `asked.gone`. The run's errors name both;
/// it counts only the failures of products.
asio::awaitable<PageCounts> import_products(const ImportScope& scope,
                                            connectors::StorePage<connectors::StoreProduct> page,
                                            AskedOwners asked);

}  // namespace waybill::worker
