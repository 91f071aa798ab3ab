#pragma once

#include <string_view>
#include <vector>

#include "connectors/connector.hpp"

namespace waybill::worker {

/// The items of an order with their pieces in a shipment and in others, of which SQL may have written
/// anything. `order`, `parcel` and `sent` are the columns of sql::integrations::TrackingTarget in JSON. A
/// shipment without pieces has the present pieces of its items, and of all items if it names none. Pure.
std::vector<connectors::StoreParcelItem> parcel_items(std::string_view order, std::string_view parcel,
                                                      std::string_view sent);

}  // namespace waybill::worker
